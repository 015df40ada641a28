//! One worker process: started, watched, and read when it is over.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::death::Fault;
use super::journal::{InFlight, Journal};
use super::worker::panics_beside;
use super::{CampaignError, Plan};
use crate::recipe::Recipe;
use crate::stage::{Outcome, Stage};

/// How often a worker is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// What a worker is asked for.
pub enum Job<'a> {
    /// The mutants of these numbers.
    Range {
        /// The first.
        from: u64,
        /// One behind the last.
        to: u64,
    },
    /// One mutant.
    One(&'a Recipe),
}

/// How a worker ended.
pub struct Ended {
    /// How the stages of each mutant ended.
    pub outcomes: Vec<[Outcome; Stage::ALL.len()]>,
    /// The panics of these mutants, in their order.
    pub panics: Vec<Fault>,
    /// What ended the worker early, and in which stage of which mutant.
    pub died: Option<(InFlight, Fault)>,
}

/// Runs a worker to its end.
pub fn run(plan: &Plan, folder: &Path, job: &Job<'_>, first: Stage) -> Result<Ended, CampaignError> {
    let files = Files::new(folder);
    let journal = Journal::create(&files.journal).map_err(CampaignError::io("create a journal"))?;
    let child = start(plan, &files, job, first)?;
    let (status, hung) = watch(child, &journal, plan.time).map_err(CampaignError::io("watch a worker"))?;
    let said = fs::read(&files.said).map_err(CampaignError::io("read what a worker said"))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let died = match (
        status.success(),
        journal.in_flight().map_err(CampaignError::io("read a journal"))?,
    ) {
        (true, _) => None,
        (false, Some(in_flight)) if hung => Some((in_flight, Fault::Hang)),
        (false, Some(in_flight)) => Some((in_flight, Fault::of(status, &said))),
        (false, None) => {
            return Err(CampaignError::Worker {
                status: status.to_string(),
                said,
            });
        }
    };
    let count = match (&died, job) {
        (Some((in_flight, _)), _) => in_flight.position + 1,
        (None, Job::Range { from, to }) => to - from,
        (None, Job::One(_)) => 1,
    };
    let outcomes = journal
        .outcomes(count)
        .map_err(CampaignError::io("read a journal"))?;
    let panics = fs::read_to_string(panics_beside(&files.journal)).unwrap_or_default();
    Ok(Ended {
        outcomes,
        panics: panics.lines().filter_map(panic).collect(),
        died,
    })
}

struct Files {
    journal: PathBuf,
    said: PathBuf,
}

impl Files {
    fn new(folder: &Path) -> Files {
        Files {
            journal: folder.join("journal"),
            said: folder.join("stderr"),
        }
    }
}

fn panic(line: &str) -> Option<Fault> {
    let (place, message) = line.split_once('\t')?;
    Some(Fault::Panic {
        place: place.to_owned(),
        message: message.to_owned(),
    })
}

fn start(plan: &Plan, files: &Files, job: &Job<'_>, first: Stage) -> Result<Child, CampaignError> {
    let program = std::env::current_exe().map_err(CampaignError::io("find this program"))?;
    let said = File::create(&files.said).map_err(CampaignError::io("create a worker's file"))?;
    let mut command = Command::new(program);
    command.arg("worker").arg("--journal").arg(&files.journal);
    command
        .arg("--memory")
        .arg(plan.memory.to_string())
        .arg("--first")
        .arg(first.name());
    match job {
        Job::Range { from, to } => {
            command.args([
                "--seed",
                &plan.seed.to_string(),
                "--from",
                &from.to_string(),
                "--to",
                &to.to_string(),
            ]);
        }
        Job::One(recipe) => {
            command.args(["--recipe", &recipe.to_string()]);
        }
    }
    command.arg("--seeds").arg(&plan.seeds);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
    command.spawn().map_err(CampaignError::io("start a worker"))
}

/// Waits for a worker, and kills it when it stays in one stage for too long; says whether that was so.
fn watch(mut child: Child, journal: &Journal, time: Duration) -> std::io::Result<(ExitStatus, bool)> {
    let mut seen = None;
    let mut since = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        let now = journal.in_flight()?;
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
        let late = since.elapsed() > time && seen.is_some_and(|in_flight| in_flight.running);
        if late {
            child.kill()?;
            return Ok((child.wait()?, true));
        }
        sleep(LOOK);
    }
}
