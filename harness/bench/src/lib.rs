//! Latency: models × backends × thread counts, each series on a worker of its own, backends taking turns.
//!
//! A latency is worth something only if what was timed was right, so every turn's first and last outputs are held against
//! expected ones, and a series with a wrong output does not count. The way through it:
//!
//! - [`Plan`] says what to measure, and how; [`run`] does it and writes [`Event::Latency`] for each series.
//! - `subject`: a model with several inputs and the outputs that each must give: the stored ones of the case where there are
//!   any, else those of the reference, which runs in a worker of its own (`oracle`).
//! - [`random_weights`]: the light models come with constant weights, which prove almost nothing; this bakes random ones.
//! - [`export`]: the same as cases in the official layout.
//! - `lane`: a backend at a thread count. `series`: a lane on a subject. `statistics`: from samples to figures.
//!
//! # How it is measured
//! - Times are taken inside the worker, around the run itself: no encoding, no channel.
//! - Inputs rotate, so that no backend profits from having seen the last one; a turn begins with runs that are not counted.
//! - *Interleaved*: in each round every backend has one turn, so that a slow spell of the machine hits all alike.
//!   *In blocks*: a backend has all its turns at once, and there is a pause before the next.
//! - Whether idle threads spin is one rule for all backends that can be told, and stands in the record: a backend that spins
//!   takes processor time from whoever runs after it.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod export;
mod inputs;
mod lane;
mod oracle;
mod progress;
pub mod random_weights;
mod series;
mod statistics;
mod subject;

use std::time::{Duration, Instant};

use harness_conformance::run::{Missing, RunError};
use harness_console::{Progress, note};
use harness_corpus::CaseFiles;
use harness_worker::{Cancel, WorkerSpec};
use reports::Report;
use reports::record::{
    BackendInfo, Event, LatencyRecord, LogError, RunFinished, RunLog, RunStarted, Weights,
};

use lane::Lane;
use oracle::Oracle;
use progress::Meter;
use series::Series;
use subject::Subject;

pub use export::{ExportError, export};
pub use lane::processors;
pub use statistics::{conclusive, supports};

/// How long the machine rests between the blocks of two backends.
const PAUSE: Duration = Duration::from_secs(2);

/// What to measure, and how.
#[derive(Debug)]
pub struct Plan {
    /// The models; of each, the first data set is used.
    pub cases: Vec<CaseFiles>,
    /// The backends.
    pub backends: Vec<WorkerSpec>,
    /// Backends that are asked for and have no worker.
    pub missing: Vec<Missing>,
    /// The worker of the reference, which says what outputs are right.
    pub reference: WorkerSpec,
    /// How many threads a backend may use; a series for each.
    pub threads: Vec<u32>,
    /// Whether the models' own weights are used or random ones.
    pub weights: Weights,
    /// Where all random numbers come from.
    pub seed: u64,
    /// How each series is run.
    pub conduct: RunOptions,
    /// What is written at the head of the log.
    pub started: RunStarted,
}

/// How each series is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunOptions {
    /// Turns of each backend.
    pub rounds: u32,
    /// Timed runs in a turn.
    pub samples: u32,
    /// Runs before them that are not counted.
    pub warmup: u32,
    /// Whether backends take turns; else each has all its turns in one block.
    pub interleaved: bool,
    /// Whether idle threads may spin.
    pub spinning: bool,
    /// How long one load, run or turn may take.
    pub timeout: Duration,
}

/// The backends of a bench, each of which has answered its handshake, and the reference.
pub struct Team {
    infos: Vec<BackendInfo>,
    lanes: Vec<Lane>,
    missing: Vec<Missing>,
    oracle: Oracle,
}

impl Team {
    /// Starts a worker of each backend. A backend that does not start is left out, with a line on stderr.
    ///
    /// # Errors
    /// An option that a backend does not know, an interruption, a reference that does not start, or no backend at all.
    pub fn start(plan: &Plan, cancel: &Cancel) -> Result<Team, RunError> {
        let (mut infos, mut lanes) = (Vec::new(), Vec::new());
        let mut missing = plan.missing.clone();
        for spec in &plan.backends {
            match lane::of_backend(spec, &plan.threads, plan.conduct.spinning, cancel) {
                Ok((info, of_backend)) => {
                    infos.push(info);
                    lanes.extend(of_backend);
                }
                Err(error) if error.is_cancelled() || error.is_option() => return Err(error.into()),
                Err(error) => missing.push(Missing {
                    name: spec.name.clone(),
                    reason: error.to_string(),
                }),
            }
        }
        for Missing { reason, .. } in &missing {
            note(format_args!("error: {reason}"));
        }
        if lanes.is_empty() {
            return Err(RunError::NoBackend);
        }
        lanes.sort_by_key(|lane| lane.threads);
        Ok(Team {
            infos,
            lanes,
            missing,
            oracle: Oracle::start(plan.reference.clone(), cancel.clone(), plan.conduct.timeout)?,
        })
    }

    /// What stands at the head of the log.
    pub fn started(&self, plan: &Plan) -> RunStarted {
        RunStarted {
            missing: Missing::reasons(&self.missing),
            ..plan.started.clone()
        }
    }
}

/// Measures what `plan` says, writing to `log`.
///
/// A model that cannot be prepared, or a backend that fails on one, is a series without valid latency that says why.
///
/// # Errors
/// A log that cannot be written.
pub fn run(
    plan: &Plan,
    team: Team,
    log: &mut RunLog,
    cancel: &Cancel,
    progress: Progress,
) -> Result<Report, RunError> {
    let began = Instant::now();
    let mut book = BenchLog {
        log,
        events: Vec::new(),
    };
    book.note(Event::RunStarted(Box::new(team.started(plan))))?;
    for info in team.infos {
        book.note(Event::BackendStarted(info))?;
    }
    let lanes = team.lanes;
    let mut bench = Bench {
        plan,
        oracle: team.oracle,
        cancel,
        meter: Meter::new(progress, plan.cases.len() * lanes.len()),
    };
    for case in &plan.cases {
        if !cancel.is_cancelled() {
            bench.case(case, &lanes, &mut book)?;
        }
    }
    bench.meter.finish();
    let wall_s = began.elapsed().as_secs_f64();
    let complete = !cancel.is_cancelled();
    book.note(Event::RunFinished(RunFinished { wall_s, complete }))?;
    Ok(Report::fold(book.events))
}

/// The log with what has been written to it.
struct BenchLog<'l> {
    log: &'l mut RunLog,
    events: Vec<Event>,
}

impl BenchLog<'_> {
    fn note(&mut self, event: Event) -> Result<(), LogError> {
        self.log.write(&event)?;
        self.events.push(event);
        Ok(())
    }
}

struct Bench<'p> {
    plan: &'p Plan,
    oracle: Oracle,
    cancel: &'p Cancel,
    meter: Meter,
}

impl Bench<'_> {
    /// One model on all lanes, a thread count after the other.
    fn case(&mut self, case: &CaseFiles, lanes: &[Lane], book: &mut BenchLog) -> Result<(), LogError> {
        let began = Instant::now();
        let model = subject::name(&case.id);
        self.meter.preparing(model);
        let subject = Subject::prepare(case, self.plan.weights, self.plan.seed, &mut self.oracle);
        book.note(Event::PhaseFinished {
            name: "reference".to_owned(),
            wall_s: began.elapsed().as_secs_f64(),
        })?;
        for group in lanes.chunk_by(|a, b| a.threads == b.threads) {
            let records = match &subject {
                Ok(subject) => self.measure(subject, group),
                Err(error) => {
                    let reason = format!("the model could not be prepared: {error}");
                    let failed = |lane| Series::failed(lane, &reason);
                    group
                        .iter()
                        .map(failed)
                        .map(|series| self.record(model, &series))
                        .collect()
                }
            };
            // What an interruption has cut off is no result.
            if self.cancel.is_cancelled() {
                return Ok(());
            }
            self.meter.measured(model, &records);
            for record in records {
                book.note(Event::Latency(record))?;
            }
        }
        Ok(())
    }

    /// All lanes of one thread count on one model.
    fn measure(&self, subject: &Subject, group: &[Lane]) -> Vec<LatencyRecord> {
        let conduct = self.plan.conduct;
        let begin = |lane| Series::begin(lane, subject, conduct, self.cancel);
        let mut series: Vec<Series> = group.iter().map(begin).collect();
        if conduct.interleaved {
            for round in 0..conduct.rounds {
                series
                    .iter_mut()
                    .for_each(|series| series.turn(subject, conduct, round));
            }
        } else {
            for (index, series) in series.iter_mut().enumerate() {
                if index > 0 {
                    self.rest();
                }
                (0..conduct.rounds).for_each(|round| series.turn(subject, conduct, round));
            }
        }
        series
            .iter()
            .map(|series| self.record(&subject.name, series))
            .collect()
    }

    /// Lets threads go to sleep and the processor cool down; ends early when cancelled.
    fn rest(&self) {
        let end = Instant::now() + PAUSE;
        while Instant::now() < end && !self.cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn record(&self, model: &str, series: &Series) -> LatencyRecord {
        let summary = statistics::summarize(&series.samples);
        LatencyRecord {
            model: model.to_owned(),
            backend: series.lane.spec.name.clone(),
            version: series.lane.version.clone(),
            threads: series.lane.threads,
            weights: self.plan.weights,
            interleaved: self.plan.conduct.interleaved,
            spinning: self.plan.conduct.spinning,
            rounds: series.rounds,
            samples: series.samples.len() as u64,
            min_ns: summary.min_ns,
            median_ns: summary.median_ns,
            p90_ns: summary.p90_ns,
            p99_ns: summary.p99_ns,
            mean_ns: summary.mean_ns,
            load_ns: series.load_ns,
            first_ns: series.first_ns,
            peak_bytes: series.peak_bytes,
            outputs_ok: series.fault.is_none() && !series.samples.is_empty(),
            reason: series.fault.clone().unwrap_or_default(),
        }
    }
}
