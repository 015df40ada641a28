//! The worker: takes mutants through the stages, and notes what it does.

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

/// What a worker is to do.
#[derive(Clone, Debug)]
pub struct Work {
    /// Where it notes what it does; panics go to a file beside it.
    pub journal: PathBuf,
    /// The recipes.
    pub recipes: Vec<Recipe>,
    /// The stage to begin the first recipe with.
    pub first: Stage,
    /// Bytes of memory.
    pub memory: u64,
}

/// The file beside a journal that panics are noted in.
pub fn panics_beside(journal: &Path) -> PathBuf {
    journal.with_extension("panics")
}

/// Does the work in this process.
///
/// # Errors
/// What keeps it from beginning. What a mutant does to it is in the journal, or ends the process.
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
        // A panic that a backend catches is a fault all the same.
        let outcome = match PANICS.load(Ordering::Relaxed) == before {
            true => outcome,
            false => Outcome::Panicked,
        };
        journal.end(position, stage, outcome)?;
        if outcome == Outcome::Refused {
            break;
        }
    }
    Ok(())
}

/// Less memory than the machine has, no core files, and no life after the parent's.
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

/// Number of the stage that runs, counted over all mutants.
static IN_FLIGHT: AtomicU64 = AtomicU64::new(0);

/// Panics so far.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// From now on every panic is counted, and is a line of the file: number of the stage, place, message. Memory that a kernel
/// does not get unwinds as well, and is no fault.
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
        let message = info.payload_as_str().unwrap_or("a panic without a text");
        let message: String = message
            .chars()
            .take(300)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        if let Ok(mut file) = file.lock() {
            // Nobody could be told that this file cannot be written.
            let number = IN_FLIGHT.load(Ordering::Relaxed);
            let _ = writeln!(file, "{number}\t{place}\t{message}");
        }
    }));
    Ok(())
}
