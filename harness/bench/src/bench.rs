//! A bench from the first model to the last.

use std::time::{Duration, Instant};

use harness_conformance::run::RunError;
use harness_console::{Progress, note};
use harness_worker::Cancel;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use reports::Report;
use reports::record::{Event, LatencyGate, LatencyRecord, LogError, RunFinished, RunLog};

use super::gate::{Contest, Design, Opponent};
use super::lane::Lane;
use super::machine::Watch;
use super::oracle::Oracle;
use super::plan::{Old, Plan, Task};
use super::progress::Meter;
use super::record::record;
use super::series::Series;
use super::subject::{Subject, ToMeasure};
use super::team::Team;

/// How long the machine rests between the blocks of two backends.
const PAUSE: Duration = Duration::from_secs(2);

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
    let watch = Watch::begin();
    let mut book = BenchLog {
        log,
        events: Vec::new(),
    };
    book.note(Event::RunStarted(Box::new(team.started(plan))))?;
    for info in team.infos {
        book.note(Event::BackendStarted(info))?;
    }
    let meter = Meter::new(progress, plan.models.len() * team.lanes.len());
    let mut bench = Bench {
        plan,
        lanes: team.lanes,
        old: team.old,
        oracle: team.oracle,
        cancel,
        rng: ChaCha8Rng::seed_from_u64(plan.seed),
        meter,
    };
    for model in &plan.models {
        if !cancel.is_cancelled() {
            bench.model(model, &mut book)?;
        }
    }
    bench.meter.finish();
    // Its worker ends, so that what it used counts as ours.
    drop(bench);
    let machine = watch.end();
    for sentence in &machine.noise {
        note(format_args!("noisy machine: {sentence}"));
    }
    book.note(Event::Machine(Box::new(machine)))?;
    let wall_s = began.elapsed().as_secs_f64();
    let complete = !cancel.is_cancelled();
    book.note(Event::RunFinished(RunFinished { wall_s, complete }))?;
    Ok(Report::fold(book.events))
}

/// Says for how many inputs nobody knows what is right.
fn tell_unknown(model: &str, subject: &Subject) {
    let known = subject.expected.iter().flatten().count();
    let all = subject.expected.len();
    if known < all {
        note(format_args!(
            "{model}: the reference answers for {known} of {all} inputs ({}); outputs for the others are compared with those of \
             the first runs",
            subject.unknown
        ));
    }
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
    lanes: Vec<Lane>,
    old: Vec<Lane>,
    oracle: Oracle,
    cancel: &'p Cancel,
    rng: ChaCha8Rng,
    meter: Meter,
}

/// What is known of some series of a model.
type Measured = (Vec<LatencyRecord>, Vec<LatencyGate>);

impl Bench<'_> {
    /// One model on all lanes, a thread count after the other.
    fn model(&mut self, model: &ToMeasure, book: &mut BenchLog) -> Result<(), LogError> {
        let began = Instant::now();
        self.meter.preparing(model.name());
        let plan = self.plan;
        let subject = Subject::prepare(model, plan.seed, plan.reference_budget, &mut self.oracle);
        book.note(Event::PhaseFinished {
            name: "reference".to_owned(),
            wall_s: began.elapsed().as_secs_f64(),
        })?;
        if let Ok(subject) = &subject {
            tell_unknown(model.name(), subject);
        }
        let lanes = self.lanes.clone();
        for group in lanes.chunk_by(|a, b| a.threads == b.threads) {
            let (records, gates) = match &subject {
                Ok(subject) => self.group(model, subject, group),
                Err(error) => {
                    let reason = format!("the model could not be prepared: {error}");
                    let failed = |lane| record(plan, model, None, &Series::failed(lane, &reason));
                    (group.iter().map(failed).collect(), Vec::new())
                }
            };
            // What an interruption has cut off is no result.
            if self.cancel.is_cancelled() {
                return Ok(());
            }
            self.meter.measured(model.name(), &records, &gates);
            for record in records {
                book.note(Event::Latency(Box::new(record)))?;
            }
            for gate in gates {
                book.note(Event::LatencyGate(Box::new(gate)))?;
            }
        }
        Ok(())
    }

    /// All lanes of one thread count on one model.
    fn group(&mut self, model: &ToMeasure, subject: &Subject, group: &[Lane]) -> Measured {
        let plan = self.plan;
        match &plan.task {
            Task::Measure => (self.measure(model, subject, group), Vec::new()),
            Task::Noise(design) => {
                let old: Vec<Lane> = group.iter().map(Lane::again).collect();
                let pairs = group.iter().zip(old.iter().map(Opponent::Lane));
                self.contests(model, subject, design, pairs)
            }
            Task::Gate { old, design } => {
                let lanes = self.old.clone();
                let opponent = |lane: &Lane| match old {
                    Old::Worker(_) => lanes
                        .iter()
                        .find(|old| old.threads == lane.threads)
                        .or(lanes.first())
                        .map(Opponent::Lane),
                    // It was checked before that there is one.
                    Old::Saved(saved) => {
                        let series = saved.series(model, &lane.spec.name, lane.threads).ok()?;
                        Some(Opponent::Saved(
                            series,
                            saved.folder.to_str().unwrap_or("a saved run"),
                        ))
                    }
                };
                let pairs = group.iter().filter_map(|lane| Some((lane, opponent(lane)?)));
                self.contests(model, subject, design, pairs)
            }
        }
    }

    fn contests<'o>(
        &mut self,
        model: &ToMeasure,
        subject: &Subject,
        design: &Design,
        pairs: impl Iterator<Item = (&'o Lane, Opponent<'o>)>,
    ) -> Measured {
        let design = design.shared_by(self.plan.models.len() * self.lanes.len());
        let contest = Contest {
            plan: self.plan,
            model,
            subject,
            design: &design,
            cancel: self.cancel,
        };
        let mut measured = Measured::default();
        for (lane, opponent) in pairs {
            let (records, gate) = contest.hold(lane, opponent, &mut self.rng);
            measured.0.extend(records);
            measured.1.push(gate);
        }
        measured
    }

    fn measure(&mut self, model: &ToMeasure, subject: &Subject, group: &[Lane]) -> Vec<LatencyRecord> {
        let conduct = self.plan.conduct;
        let mut series: Vec<Series> = group.iter().map(Series::new).collect();
        if conduct.interleaved {
            for round in 0..conduct.rounds {
                let mut order: Vec<&mut Series> = series.iter_mut().collect();
                order.shuffle(&mut self.rng);
                for series in order {
                    series.turn(subject, conduct, round, self.cancel);
                }
            }
        } else {
            for (index, series) in series.iter_mut().enumerate() {
                if index > 0 {
                    self.rest();
                }
                for round in 0..conduct.rounds {
                    series.turn(subject, conduct, round, self.cancel);
                }
            }
        }
        let records = series
            .iter()
            .map(|series| record(self.plan, model, Some(subject), series));
        records.collect()
    }

    /// Lets threads go to sleep and the processor cool down; ends early when cancelled.
    fn rest(&self) {
        let end = Instant::now() + PAUSE;
        while Instant::now() < end && !self.cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
