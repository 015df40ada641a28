//! One worker process: starts and watches it, and reads its results.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::journal::{InFlight, Journal};
use super::worker::panics_beside;
use super::{CampaignError, Plan};
use crate::recipe::Recipe;
use crate::stage::{Outcome, Stage};

/// The interval at which a worker is polled.
const LOOK: Duration = Duration::from_millis(10);

/// The job of a worker.
pub enum Job<'a> {
    /// A range of mutants.
    Range {
        /// The first.
        from: u64,
        /// One past the last.
        to: u64,
    },
    /// One mutant.
    One(&'a Recipe),
}

/// The result of a worker.
pub struct Ended {
    /// The results of the stages of each mutant.
    pub outcomes: Vec<[Outcome; Stage::ALL.len()]>,
    /// The first panic of a stage, by the mutant's position and the stage.
    pub panics: BTreeMap<(u64, Stage), Fault>,
    /// The fault that ended the worker early, with its stage and mutant.
    pub died: Option<(InFlight, Fault)>,
}

/// Runs a worker until it ends.
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
        // Of two entries with one key the last is kept, so the first is inserted last.
        panics: panics.lines().rev().filter_map(panic).collect(),
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

fn panic(line: &str) -> Option<((u64, Stage), Fault)> {
    let mut fields = line.splitn(3, '\t');
    let (number, place, message) = (
        fields.next()?.parse::<u64>().ok()?,
        fields.next()?,
        fields.next()?,
    );
    let stages = Stage::ALL.len() as u64;
    let stage = Stage::ALL.get(usize::try_from(number % stages).ok()?)?;
    let fault = Fault::Panic {
        place: place.to_owned(),
        message: message.to_owned(),
    };
    Some(((number / stages, *stage), fault))
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

/// Waits for a worker, and kills it if it exceeds the time limit of a stage; returns whether it did.
fn watch(mut child: Child, journal: &Journal, time: Duration) -> std::io::Result<(ExitStatus, bool)> {
    let clock = Clock::of(child.id());
    let mut seen = None;
    let mut since = clock.now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        let (now, flight) = (clock.now(), journal.in_flight()?);
        if flight != seen {
            (seen, since) = (flight, now);
        }
        let (busy, wall) = (now.0.saturating_sub(since.0), now.1.saturating_sub(since.1));
        let late = busy > time || wall > time * IDLE;
        if late && seen.is_some_and(|in_flight| in_flight.running) {
            child.kill()?;
            return Ok((child.wait()?, true));
        }
        sleep(LOOK);
    }
}

/// The number of ticks per second in `/proc` (`USER_HZ`): 100 on every architecture that Rust supports.
const TICKS: f64 = 100.0;

/// The wall time limit of a stage, as a multiple of the time limit, if it does not use the processor:
/// other programs may use it.
const IDLE: u32 = 20;

/// The time of a process: processor time and wall time. So a busy machine causes no timeouts.
struct Clock {
    process: u32,
    start: Instant,
}

impl Clock {
    fn of(process: u32) -> Clock {
        Clock {
            process,
            start: Instant::now(),
        }
    }

    /// Processor time and wall time. If the system does not report the former, both are the wall time.
    fn now(&self) -> (Duration, Duration) {
        let wall = self.start.elapsed();
        (self.busy().unwrap_or(wall), wall)
    }

    /// User and system time of `/proc/PID/stat` (proc(5)): fields 14 and 15, counted from the state
    /// after the name, which is field 3.
    fn busy(&self) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process)).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let ticks: u64 = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<u64>().ok())
            .sum();
        let seconds = ticks as f64 / TICKS;
        Some(Duration::from_secs_f64(seconds))
    }
}
