//! Runs a bench over all models.

use std::sync::Arc;
use std::time::{Duration, Instant};

use harness_conformance::referee::Referee;
use harness_conformance::run::RunError;
use harness_console::{Progress, note};
use harness_worker::Cancel;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use run_record::Report;
use run_record::{Event, LatencyGate, LatencyRecord, LogError, RunFinished, RunLog};

use super::gate::Design;
use super::gate_run::{Against, GateRun};
use super::lane::Lane;
use super::machine::Watch;
use super::oracle::Oracle;
use super::plan::{Baseline, Plan, Task};
use super::progress::Meter;
use super::record::{compare_with_fastest, record};
use super::series::Series;
use super::subject::{Subject, ToMeasure};
use super::team::Team;

/// The pause between the blocks of two backends.
const PAUSE: Duration = Duration::from_secs(2);

/// The first round is reported if the other ones will probably take this time.
const LONG: Duration = Duration::from_secs(3);

/// Runs the measurements of `plan` and writes the events to `log`.
///
/// If a model cannot be prepared or a backend fails on it, the record of the series states the reason
/// and has no valid latency.
///
/// # Errors
/// The log cannot be written.
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
        referee: team.referee,
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
    // Ends the worker of the reference, so that its processor time counts as ours.
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

/// Notes for how many inputs the reference gives no answer.
fn tell_unknown(model: &str, subject: &Subject) {
    let known = subject.expected.iter().flatten().count();
    let all = subject.expected.len();
    if known < all {
        note(format_args!(
            "{model}: the reference answers for {known} of {all} inputs ({}); the outputs for the other inputs are compared \
             with those of the first runs",
            subject.unknown
        ));
    }
}

/// The log together with the events written so far.
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
    referee: Arc<Referee>,
    cancel: &'p Cancel,
    rng: ChaCha8Rng,
    meter: Meter,
}

/// The records of some series of a model and the decisions of the gate.
type Measured = (Vec<LatencyRecord>, Vec<LatencyGate>);

impl Bench<'_> {
    /// Measures one model on all lanes, one thread count after the other.
    fn model(&mut self, model: &ToMeasure, book: &mut BenchLog) -> Result<(), LogError> {
        let began = Instant::now();
        self.meter.preparing(model.name());
        let plan = self.plan;
        let subject = Subject::prepare(
            model,
            plan.seed,
            plan.reference_budget,
            &mut self.oracle,
            &self.referee,
        );
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
            // The results of an interrupted group are incomplete.
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

    /// Measures one model on all lanes of one thread count.
    fn group(&mut self, model: &ToMeasure, subject: &Subject, group: &[Lane]) -> Measured {
        let plan = self.plan;
        match &plan.task {
            Task::Measure => (self.measure(model, subject, group), Vec::new()),
            Task::Noise(design) => {
                let old: Vec<Lane> = group.iter().map(Lane::duplicate).collect();
                let pairs = group.iter().zip(old.iter().map(Against::Lane));
                self.gates(model, subject, design, pairs)
            }
            Task::Gate { old, design } => {
                let lanes = self.old.clone();
                let against = |lane: &Lane| match old {
                    Baseline::Worker(_) => lanes
                        .iter()
                        .find(|old| old.threads == lane.threads)
                        .or(lanes.first())
                        .map(Against::Lane),
                    // `Team::check_saved` has checked that the series exists.
                    Baseline::Saved(saved) => {
                        let series = saved.series(model, &lane.spec.name, lane.threads).ok()?;
                        Some(Against::Saved(
                            series,
                            saved.folder.to_str().unwrap_or("a saved run"),
                        ))
                    }
                };
                let pairs = group.iter().filter_map(|lane| Some((lane, against(lane)?)));
                self.gates(model, subject, design, pairs)
            }
        }
    }

    fn gates<'o>(
        &mut self,
        model: &ToMeasure,
        subject: &Subject,
        design: &Design,
        pairs: impl Iterator<Item = (&'o Lane, Against<'o>)>,
    ) -> Measured {
        let design = design.shared_by(self.plan.models.len() * self.lanes.len());
        let run = GateRun {
            plan: self.plan,
            model,
            subject,
            design: &design,
            cancel: self.cancel,
        };
        let mut measured = Measured::default();
        for (lane, against) in pairs {
            let (records, gate) = run.run(lane, against, &mut self.rng);
            measured.0.extend(records);
            measured.1.push(gate);
        }
        measured
    }

    fn measure(&mut self, model: &ToMeasure, subject: &Subject, group: &[Lane]) -> Vec<LatencyRecord> {
        let options = self.plan.options;
        let mut series: Vec<Series> = group.iter().map(Series::new).collect();
        if options.interleaved {
            let began = Instant::now();
            for round in 0..options.rounds {
                if round == 1 && began.elapsed() * (options.rounds - 1) >= LONG {
                    self.meter.provisional(model.name(), &series, options.rounds);
                }
                let mut order: Vec<&mut Series> = series.iter_mut().collect();
                order.shuffle(&mut self.rng);
                for series in order {
                    series.turn(subject, options, round, self.cancel);
                }
            }
        } else {
            for (index, series) in series.iter_mut().enumerate() {
                if index > 0 {
                    self.rest();
                }
                for round in 0..options.rounds {
                    series.turn(subject, options, round, self.cancel);
                }
            }
        }
        let records = series
            .iter()
            .map(|series| record(self.plan, model, Some(subject), series));
        let mut records: Vec<LatencyRecord> = records.collect();
        if options.interleaved {
            compare_with_fastest(&mut records);
        }
        records
    }

    /// Waits until threads sleep and the processor is cooler; ends early if cancelled.
    fn rest(&self) {
        let end = Instant::now() + PAUSE;
        while Instant::now() < end && !self.cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
