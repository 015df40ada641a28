//! The worker: runs mutants through the stages, and records its progress.

use std::fs::File;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use native_kernels::KernelError;
use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

use super::CampaignError;
use super::journal::Journal;
use crate::recipe::{Mutant, Recipe};
use crate::seed::Seed;
use crate::stage::{Outcome, Runner, Stage};

/// The job of a worker.
#[derive(Clone, Debug)]
pub struct Work {
    /// The journal; panics are written to a file beside it.
    pub journal: PathBuf,
    pub recipes: Vec<Recipe>,
    /// The first stage of the first recipe.
    pub first: Stage,
    /// The memory limit in bytes.
    pub memory: u64,
}

/// The file for panics beside a journal.
pub fn panics_beside(journal: &Path) -> PathBuf {
    journal.with_extension("panics")
}

/// Does the work in this process.
///
/// # Errors
/// The worker cannot start. Faults of mutants are in the journal, or end the process.
pub fn work(work: &Work, seeds: &[Seed]) -> Result<(), CampaignError> {
    limit(work.memory).map_err(CampaignError::io("limit the memory of a worker"))?;
    let journal = Journal::open(&work.journal).map_err(CampaignError::io("open the journal"))?;
    note_panics(&work.journal)?;
    let mut runner = Runner::new()?;
    for (position, recipe) in (0..).zip(&work.recipes) {
        let Some(mutant) = recipe.make(seeds) else {
            continue;
        };
        let first = if position == 0 { work.first } else { Stage::Decode };
        stages(&mut runner, &mutant, first, position, &journal)
            .map_err(CampaignError::io("write the journal"))?;
    }
    Ok(())
}

fn stages(
    runner: &mut Runner,
    mutant: &Mutant,
    first: Stage,
    position: u64,
    journal: &Journal,
) -> std::io::Result<()> {
    for stage in Stage::ALL.into_iter().filter(|stage| *stage >= first) {
        journal.begin(position, stage)?;
        IN_FLIGHT.store(
            position * Stage::ALL.len() as u64 + stage as u64,
            Ordering::Relaxed,
        );
        let before = PANICS.load(Ordering::Relaxed);
        let run = AssertUnwindSafe(|| runner.run(stage, mutant));
        let outcome = panic::catch_unwind(run).unwrap_or(Outcome::Panicked);
        // A panic that a backend catches is also a fault.
        let outcome = if PANICS.load(Ordering::Relaxed) == before {
            outcome
        } else {
            Outcome::Panicked
        };
        journal.end(position, stage, outcome)?;
        if outcome == Outcome::Refused {
            break;
        }
    }
    Ok(())
}

/// Limits memory, disables core files, and ends the process with its parent.
fn limit(memory: u64) -> std::io::Result<()> {
    let at_most = |bytes| Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    setrlimit(Resource::Data, at_most(memory))?;
    setrlimit(Resource::Core, at_most(0))?;
    #[cfg(target_os = "linux")]
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}

/// The number of the running stage, counted over all mutants.
static IN_FLIGHT: AtomicU64 = AtomicU64::new(0);

/// The number of panics.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// Counts every further panic, and writes it to the file: number of the stage, location, message. An
/// allocation that a kernel does not get also unwinds, but is not a fault.
fn note_panics(journal: &Path) -> Result<(), CampaignError> {
    let path = panics_beside(journal);
    let file = File::create(path).map_err(CampaignError::io("create the file of panics"))?;
    let file = Mutex::new(file);
    panic::set_hook(Box::new(move |info| {
        if let Some(KernelError::Memory { .. }) = info.payload().downcast_ref::<KernelError>() {
            return;
        }
        PANICS.fetch_add(1, Ordering::Relaxed);
        let place = info
            .location()
            .map_or_else(String::new, |place| format!("{}:{}", place.file(), place.line()));
        let message = info.payload_as_str().unwrap_or("a panic without a message");
        let message: String = message
            .chars()
            .take(300)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        if let Ok(mut file) = file.lock() {
            // If this file cannot be written, nothing can be reported.
            let number = IN_FLIGHT.load(Ordering::Relaxed);
            let _ = writeln!(file, "{number}\t{place}\t{message}");
        }
    }));
    Ok(())
}
