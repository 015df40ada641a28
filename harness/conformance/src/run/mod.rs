//! A run: cases × backends, each case on a warm worker; every event is logged when it occurs.

pub(crate) mod directory;
mod findings;
pub(crate) mod fingerprint;
mod nodes;
mod noise;
mod participants;
mod prepared;
mod readings;
mod record;
mod retries;
mod shard;
mod telling;

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::BackendError;
use harness_console::Progress;
use harness_corpus::errata::Errata;
use harness_corpus::{CaseDefect, CaseFiles};
use harness_worker::{
    Cancel, Completion, Declined, Failure, Outcome, Pool, StartError, Worker, WorkerExit, WorkerSpec,
};
use run_record::Report;
use run_record::text::seconds;
use run_record::{
    CaseExercises, CaseRecord, Event, LogError, RunFinished, RunLog, RunStarted, VariantPlan, Verdict,
};

use crate::case::CaseError;
use crate::coverage::{added, catalogue, touched};

use crate::observe::{self, Judges, Observation, RunOptions, observe};
use crate::referee::Referee;

pub use directory::{DirectoryError, Earlier, OpenLog, RunDirectory};
pub use fingerprint::{digest_of_selection, program_file};
pub use nodes::{JudgeNodes, NodePlan, NodesAsked, NodesJudged, NodesVerdict, RIGHT_ALONE};
pub use noise::NoisePlan;
pub use participants::{MissingBackend, Participants};
use prepared::{Budget, Prepared};
use retries::Unconfirmed;
pub use shard::{Shard, ShardError};
use telling::{EVERY, telling};

/// The operators whose coverage a run measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// Those of the cases.
    Cases,
    /// All of the specification.
    Specification,
    /// All that ONNX Runtime adds.
    Added,
}

/// The plan of a run.
#[derive(Debug)]
pub struct Plan {
    /// The cases, each on every backend.
    pub cases: Vec<CaseFiles>,
    /// Cases that cannot be run; they are reported as skipped, or as disputed if they are in the errata.
    pub defects: Vec<CaseDefect>,
    /// The backends, one after the other.
    pub backends: Vec<WorkerSpec>,
    /// Requested backends that are known to have no worker.
    pub missing: Vec<MissingBackend>,
    /// The number of parallel workers of each backend.
    pub workers: NonZeroUsize,
    /// The operators whose coverage is measured.
    pub measured: Measured,
    /// The parameters of each case's run.
    pub options: RunOptions,
    /// The reference, which computes the bounds of rounding errors; without it, no difference is
    /// explained.
    pub reference: Option<WorkerSpec>,
    /// How the noise of complete models is measured; without it, none is.
    pub noise: Option<NoisePlan>,
    /// The cases whose verdict is disputed.
    pub errata: Errata,
    /// The variants among the cases.
    pub variants: Vec<VariantPlan>,
    /// The first event of the log.
    pub started: RunStarted,
    /// Whether the run ends at the first wrong or missing answer.
    pub fail_fast: bool,
    /// The number of repetitions of a case whose answer is wrong or missing.
    pub retries: u32,
    /// A digest of all selected cases, including those of other shards.
    pub selected: String,
    /// The time for finding the cases and the backends, in seconds.
    pub corpus_s: f64,
}

/// Why a run stops.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A backend's worker does not start.
    #[error(transparent)]
    Backend(#[from] StartError),
    /// No backend starts; the reason for each was reported.
    #[error("no backend started: nothing was run")]
    NoBackend,
    /// The reference cannot be started again. Verdicts without it would be different.
    #[error("the reference's worker cannot be started again: the run ends here; resume it by --resume")]
    ReferenceLost,
    /// The ledger of readings cannot be used.
    #[error(transparent)]
    Readings(#[from] harness_corpus::readings::ReadingsError),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl Plan {
    /// The first event of the log, with the backends that take part.
    pub fn started(&self, participants: &Participants) -> RunStarted {
        RunStarted {
            fingerprint: fingerprint::fingerprint(self, participants),
            missing: MissingBackend::reasons(&participants.missing),
            ..self.started.clone()
        }
    }
}

/// Runs `plan` on the backends of `participants` and writes to `log`, which starts with `started`.
/// The results in `earlier` (of an interrupted run) are kept, except for cases that were not run.
///
/// # Errors
/// The log cannot be written, or the reference does not start. A failing case is a verdict,
/// not an error.
pub fn run(
    plan: &Plan,
    mut participants: Participants,
    started: RunStarted,
    OpenLog { mut log, events, .. }: OpenLog,
    cancel: &Cancel,
    progress: &Progress,
) -> Result<Report, RunError> {
    let began = Instant::now();
    let mut run = Running {
        events,
        withdrawn: BTreeMap::new(),
        log: &mut log,
    };
    let done: HashSet<(String, String)> = run.finished();
    run.note(Event::RunStarted(Box::new(started)))?;
    for plan in &plan.variants {
        run.note(Event::VariantsMade(plan.clone()))?;
    }
    run.note(Event::PhaseFinished {
        name: "corpus".to_owned(),
        wall_s: plan.corpus_s,
    })?;
    let budget = Budget::new();
    let backends_left = |files: &CaseFiles| {
        let id = files.id.to_string();
        let names = plan.backends.iter().map(|spec| spec.name.clone());
        names
            .filter(|name| !done.contains(&(id.clone(), name.clone())))
            .count()
    };
    let prepared: Vec<Prepared> = in_order_of_cost(&plan.cases)
        .into_iter()
        .map(|files| {
            let backends = backends_left(&files);
            Prepared::new(files, backends, Arc::clone(&budget))
        })
        .collect();
    let mut complete = participants.missing.is_empty();
    let unfinished = |prepared: &&Prepared| {
        let id = prepared.files.id.to_string();
        let mut backends = participants.pools.iter();
        backends.any(|(spec, _)| !done.contains(&(id.clone(), spec.name.clone())))
    };
    let todo: Vec<&Prepared> = prepared.iter().filter(unfinished).collect();
    // Releases its memory before the backends run.
    if let (Some(spec), Some(reference)) = (&plan.reference, participants.reference.take()) {
        run.bounds(plan, &reference, &todo, progress)?;
        run.readings(plan, (spec, &reference), &todo, cancel, progress)?;
    }
    let referee = plan.noise.as_ref();
    let referee = referee
        .map(|noise| noise.start(plan.options.timeout, cancel))
        .transpose()?;
    for (spec, pool) in participants.pools {
        let todo: Vec<&Prepared> = prepared
            .iter()
            .filter(|prepared| !done.contains(&(prepared.files.id.to_string(), spec.name.clone())))
            .collect();
        complete &= run.backend(plan, (&spec, &pool), referee.as_ref(), &todo, cancel, progress)?;
    }
    run.nodes(plan, &prepared, cancel)?;
    if let Some(referee) = &referee {
        run.note(Event::PhaseFinished {
            name: "noise".to_owned(),
            wall_s: referee.spent().as_secs_f64(),
        })?;
    }
    run.coverage(plan.measured, !cancel.is_cancelled(), &prepared)?;
    run.details(&prepared)?;
    let wall_s = began.elapsed().as_secs_f64();
    run.note(Event::RunFinished(RunFinished { wall_s, complete }))?;
    let withdrawn = run.withdrawn;
    let mut report = Report::fold(run.events);
    report.missing.extend(withdrawn);
    Ok(report)
}

/// Why a backend that answered its handshake cannot be used after all: it refuses an option, or its runtime
/// is gone.
fn withdrawal<E>(result: &Result<Result<Observation, E>, Failure>) -> Option<String> {
    match result {
        Ok(Ok(Observation {
            event:
                observe::Event::Declined {
                    declined:
                        Declined::Backend(error @ (BackendError::Option { .. } | BackendError::Missing { .. })),
                    ..
                },
            ..
        })) => Some(error.to_string()),
        Ok(_) | Err(_) => None,
    }
}

/// Complete networks come first: a long case at the end would leave the other workers idle.
fn in_order_of_cost(cases: &[CaseFiles]) -> Vec<CaseFiles> {
    let mut ordered = cases.to_vec();
    ordered.sort_by_key(|case| case.data_sets.iter().all(|set| !set.generated_inputs));
    ordered
}

/// The log with the events written so far.
struct Running<'l> {
    events: Vec<Event>,
    /// The backends that cannot be used after all, with the reason.
    withdrawn: BTreeMap<String, String>,
    log: &'l mut RunLog,
}

impl Running<'_> {
    fn note(&mut self, event: Event) -> Result<(), LogError> {
        self.log.write(&event)?;
        self.events.push(event);
        Ok(())
    }

    /// Case and backend of every result, except for cases that were not run.
    fn finished(&self) -> HashSet<(String, String)> {
        let record = |event: &Event| match event {
            Event::CaseFinished(record) if record.verdict != Verdict::NotRun => {
                Some((record.case.clone(), record.backend.clone()))
            }
            _ => None,
        };
        self.events.iter().filter_map(record).collect()
    }

    /// Records what the cases exercise, and what the specification contains. In a complete run every
    /// case has an entry, including those that ran before an interruption; a case that cannot be decoded
    /// exercises nothing, and its verdict states this.
    fn coverage(
        &mut self,
        measured: Measured,
        complete: bool,
        prepared: &[Prepared],
    ) -> Result<(), LogError> {
        // A variant exercises the same operators as its plain case.
        for one in prepared.iter().filter(|one| one.files.form.is_none()) {
            let Some(facts) = one.facts(complete) else {
                continue;
            };
            self.note(Event::CaseExercises(CaseExercises {
                case: one.files.id.to_string(),
                exercises: facts.exercises.to_vec(),
            }))?;
        }
        let exercises = self.events.iter().filter_map(|event| match event {
            Event::CaseExercises(exercises) => Some(exercises),
            _ => None,
        });
        let versions = match measured {
            Measured::Cases => touched(exercises),
            Measured::Specification => catalogue(),
            Measured::Added => added(exercises),
        };
        self.note(Event::Catalogue { versions })
    }

    /// Decodes the cases and requests their bounds from the reference. A case that the reference cannot
    /// bound is decoded without envelopes when a backend needs it.
    fn bounds(
        &mut self,
        plan: &Plan,
        reference: &Pool,
        todo: &[&Prepared],
        progress: &Progress,
    ) -> Result<(), RunError> {
        let began = Instant::now();
        let meter = progress.meter("bounds", todo.len(), "bounded");
        // The run on backends handles an interruption.
        let completion = reference.run_jobs(
            todo,
            |worker, prepared| prepared.bound(worker, plan.options.timeout),
            |_, outcome| meter.step(outcome.result.is_ok()),
        );
        if completion == Completion::GaveUp {
            return Err(RunError::ReferenceLost);
        }
        self.data_findings(plan, todo)?;
        let wall_s = began.elapsed().as_secs_f64();
        meter.finish(wall_s);
        self.note(Event::PhaseFinished {
            name: "bounds".to_owned(),
            wall_s,
        })?;
        Ok(())
    }

    /// Runs the cases on one backend; returns whether all were run.
    fn backend(
        &mut self,
        plan: &Plan,
        (spec, pool): (&WorkerSpec, &Pool),
        referee: Option<&Referee>,
        todo: &[&Prepared],
        cancel: &Cancel,
        progress: &Progress,
    ) -> Result<bool, RunError> {
        let began = Instant::now();
        self.note(Event::BackendStarted(participants::info(spec, pool)))?;
        for defect in &plan.defects {
            let record = defect_record(spec, defect, &plan.errata);
            self.note(Event::CaseFinished(Box::new(record)))?;
        }
        let meter = progress.meter(&spec.name, todo.len(), "pass");
        let (mut log_error, mut all_run) = (None, true);
        let (mut again, mut withdrawn) = (Vec::new(), None);
        let teller = meter.teller();
        let say = move |time: Duration| {
            let time = seconds(time.as_secs_f64());
            teller.say(&format!(
                "an answer is judged by further runs of the reference, for {time} now"
            ));
        };
        let waits = || referee.and_then(Referee::judging);
        let mut done = |index: usize, outcome: Outcome<Seen>| {
            let Some(prepared) = todo.get(index) else { return };
            let followed = match &outcome.result {
                Ok(Ok(observation)) => observation.readings.clone(),
                Ok(Err(_)) | Err(_) => Vec::new(),
            };
            let died = outcome.first_exit.as_ref().map(ToString::to_string);
            withdrawn = withdrawn.take().or_else(|| withdrawal(&outcome.result));
            let record = case_record(spec, prepared, outcome, &plan.errata);
            all_run &= record.verdict != Verdict::NotRun;
            let id = record.case.clone();
            meter.case(&record);
            if plan.retries > 0 && retries::is_unconfirmed(&record, died.is_some()) {
                again.push(Unconfirmed {
                    index,
                    record,
                    died,
                    followed,
                });
                return;
            }
            prepared.done();
            if plan.fail_fast && retries::fails(&record) {
                cancel.cancel();
            }
            let noted = self.note(Event::CaseFinished(Box::new(record)));
            let noted = noted.and_then(|()| self.followed(&id, &spec.name, followed));
            if let Err(error) = noted {
                log_error.get_or_insert(error);
                cancel.cancel();
            }
        };
        let completion = telling(EVERY, waits, say, || {
            let work =
                |worker: &mut Worker, prepared: &&Prepared| seen(worker, prepared, &plan.options, referee);
            pool.run_jobs(todo, work, &mut done)
        });
        if let Some(error) = log_error {
            return Err(error.into());
        }
        if let Some(reason) = withdrawn {
            self.withdrawn.insert(spec.name.clone(), reason);
        }
        let settled = self.retries(plan, (spec, pool), referee, todo, again)?;
        let wall_s = began.elapsed().as_secs_f64();
        meter.finish(wall_s);
        self.note(Event::BackendFinished {
            backend: spec.name.clone(),
            wall_s,
        })?;
        self.note(Event::PhaseFinished {
            name: format!("backend {}", spec.name),
            wall_s,
        })?;
        Ok(all_run && settled && completion == Completion::Complete)
    }
}

type Seen = Result<Observation, Arc<CaseError>>;

fn defect_record(spec: &WorkerSpec, defect: &CaseDefect, errata: &Errata) -> CaseRecord {
    let mut record = record::unusable(defect.id.to_string(), &spec.name, &defect.kind);
    record.also_in.clone_from(&defect.also_in);
    if let Some(entry) = errata.find(defect.ids()) {
        entry.dispute(&mut record);
    }
    record
}

fn case_record(
    spec: &WorkerSpec,
    prepared: &Prepared,
    outcome: Outcome<Seen>,
    errata: &Errata,
) -> CaseRecord {
    let id = prepared.files.id.to_string();
    let operators = prepared
        .facts(true)
        .map(|facts| facts.operators)
        .unwrap_or_default();
    let mut record = match outcome.result {
        Ok(Err(error)) => record::unusable(id, &spec.name, &*error),
        Ok(Ok(observation)) => record::judged(id, &spec.name, operators, Ok(observation), outcome.attempts),
        Err(failure) => record::judged(id, &spec.name, operators, Err(failure), outcome.attempts),
    };
    record.also_in.clone_from(&prepared.files.also_in);
    if let Some(entry) = errata.find(prepared.files.ids()) {
        entry.dispute(&mut record);
    }
    record
}

/// Runs one case on a worker of `pool`; `None` if the run was cancelled.
pub fn run_case(
    pool: &Pool,
    spec: &WorkerSpec,
    files: &CaseFiles,
    options: &RunOptions,
    errata: &Errata,
) -> Option<CaseRecord> {
    let prepared = Prepared::new(files.clone(), 1, Budget::new());
    let mut record = None;
    let _ = pool.run_jobs(
        &[&prepared],
        |worker, prepared| seen(worker, prepared, options, None),
        |_, outcome| record = Some(case_record(spec, &prepared, outcome, errata)),
    );
    record
}

fn seen(
    worker: &mut Worker,
    prepared: &Prepared,
    options: &RunOptions,
    referee: Option<&Referee>,
) -> Result<Seen, WorkerExit> {
    let case = match prepared.case() {
        Ok(case) => case,
        Err(error) => return Ok(Err(error)),
    };
    let collected = prepared.collected();
    let judges = referee.filter(|_| noise::is_judged(&case)).map(|referee| Judges {
        referee,
        collected: &collected,
    });
    observe(worker, &case, options, judges).map(Ok)
}
