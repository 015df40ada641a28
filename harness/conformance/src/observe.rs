//! Runs one case on one worker and records the result, without judging it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use backend_api::Named;
use harness_compare::policy::{Policy, Scope};
use harness_compare::{Comparison, Criteria, add_windows, compare, compare_drawn, in_order, signed_zeros};
use harness_worker::place::place;
use harness_worker::{Declined, Worker, WorkerExit};
use onnx_randomness::Draws;
use run_record::{ErrorStage, Place};

use crate::case::{Case, DataSet};
use crate::generated;
use crate::noise::settle;
use crate::readings::{self, Followed};
use crate::referee::{Collected, Referee};
use crate::reference::runner::RunRequest;

/// The result of a case on a worker that did not end.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The result.
    pub event: Event,
    /// Time of the first load, measured in the worker.
    pub load_ns: Option<u64>,
    /// Time of the first run, measured in the worker.
    pub run_ns: Option<u64>,
    /// The devices of the nodes in the first session that ran; `None` if the worker does not report
    /// them.
    pub place: Option<Place>,
    /// The name and the result of each data set that was run, if the case has several.
    pub data_sets: Vec<(String, Event)>,
    /// The peak resident memory of the worker in bytes; `None` if it was not measured.
    pub peak_bytes: Option<u64>,
    /// The answers to open questions that the outputs follow, if they depend on any.
    pub readings: Vec<Followed>,
}

/// The result of a case.
#[derive(Clone, Debug)]
pub enum Event {
    /// All data sets were answered; their comparisons are merged.
    Answered(Comparison),
    /// The backend declined the case.
    Declined {
        stage: ErrorStage,
        /// The reason.
        declined: Declined,
    },
    /// A later run with the same inputs gave other outputs.
    Differed {
        /// The output and the number of the run.
        reason: String,
    },
}

/// The parameters of a case's run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The time limit of the case: load and all runs.
    pub timeout: Duration,
    /// The number of runs of each data set; more than one detects nondeterminism.
    pub runs: u32,
    /// The policy that judges outputs.
    pub policy: Arc<Policy>,
    /// Whether the peak memory of the worker is measured.
    pub memory: bool,
}

/// Who judges the answers to a case by runs of the reference, and what these showed about each data set.
#[derive(Clone, Copy)]
pub struct Judges<'r> {
    /// The reference.
    pub referee: &'r Referee,
    /// One for each data set.
    pub collected: &'r [Mutex<Collected>],
}

impl Judges<'_> {
    /// Attaches the judgement of an answer to its comparison.
    fn judge(self, (case, set): (&Case, usize), comparison: &mut Comparison, outputs: &[Named]) {
        let (Some(collected), Some(data_set)) = (self.collected.get(set), case.data_sets.get(set)) else {
            return;
        };
        let request = RunRequest {
            model: case.model.clone(),
            external: case.external.clone(),
            inputs: data_set.inputs.clone(),
        };
        if data_set.settled {
            let mut known = collected.lock().unwrap_or_else(PoisonError::into_inner);
            known.know(&data_set.expected);
        }
        self.referee.judge(collected, comparison, outputs, &request);
    }
}

/// Runs `case` on `worker`.
///
/// # Errors
/// The worker's exit; the worker cannot be used any more.
pub fn observe(
    worker: &mut Worker,
    case: &Case,
    options: &RunOptions,
    judges: Option<Judges<'_>>,
) -> Result<Observation, WorkerExit> {
    let measured = options.memory && worker.reset_peak_memory();
    let mut observation = observe_sets(worker, case, options, judges)?;
    observation.peak_bytes = worker.peak_memory().filter(|_| measured);
    Ok(observation)
}

fn observe_sets(
    worker: &mut Worker,
    case: &Case,
    options: &RunOptions,
    judges: Option<Judges<'_>>,
) -> Result<Observation, WorkerExit> {
    let mut deadline = Instant::now() + options.timeout;
    let mut observation = Observation {
        event: Event::Answered(Comparison {
            outputs: Vec::new(),
            mismatch: None,
            official: true,
            open: false,
        }),
        load_ns: None,
        run_ns: None,
        place: None,
        data_sets: Vec::new(),
        peak_bytes: None,
        readings: Vec::new(),
    };
    // Rules that select a case also apply to its variants.
    let case_id = case.id.plain().to_string();
    let scope = Scope {
        case: &case_id,
        operators: &case.operators,
    };
    let allowance = |output: &str, dtype| options.policy.allowance(scope, output, dtype);
    let inputs_at_load = worker.description().wants_inputs_at_load;
    let mut session = None;
    // Without an answer of the reference it is not known whether inputs are valid.
    let known = |(_, set): &(usize, &DataSet)| !(set.asked && set.expected.is_empty());
    for (index, set) in case.data_sets.iter().enumerate().filter(known) {
        // A backend that takes inputs as constants needs a session for each data set.
        let loaded = match session.filter(|_| !inputs_at_load) {
            Some(loaded) => loaded,
            None => match worker.load(case.load_request(set, inputs_at_load), deadline)? {
                Ok(loaded) => {
                    observation.load_ns.get_or_insert(loaded.nanoseconds);
                    loaded.session
                }
                Err(declined) => {
                    observation.event = Event::Declined {
                        stage: ErrorStage::Load,
                        declined,
                    };
                    break;
                }
            },
        };
        session = Some(loaded);
        let yardstick = Criteria {
            official: case.tolerance,
            allowance: &allowance,
            envelopes: &set.envelopes,
            signed_zeros: signed_zeros(&case.operators),
        };
        let event = run_set(worker, loaded, set, options, deadline, &mut observation.run_ns)?;
        if inputs_at_load {
            // The outputs may have been computed at load: the time of such a run is no latency.
            observation.run_ns = None;
        }
        let event = match (event, &set.draws) {
            (Ok(outputs), Some(draws)) => drawn(worker, case, set, yardstick, draws, &outputs, deadline)?,
            (Ok(outputs), None) => {
                let mut comparison = compare(&set.expected, &outputs, yardstick);
                add_windows(
                    &mut comparison.outputs,
                    &set.expected,
                    &outputs,
                    &set.inputs,
                    &set.envelopes,
                );
                let open = set
                    .open
                    .iter()
                    .map(|open| open.followed(&outputs, case.tolerance));
                readings::join(&mut observation.readings, open.collect());
                if let Some(judges) = judges {
                    let began = Instant::now();
                    judges.judge((case, index), &mut comparison, &outputs);
                    // The limit is for the backend.
                    deadline += began.elapsed();
                    if options.policy.judge {
                        settle(&mut comparison);
                    }
                }
                note_open(&mut comparison, case, set);
                Event::Answered(comparison)
            }
            (Err(event), _) => event,
        };
        if observation.place.is_none() && matches!(event, Event::Answered(_)) {
            observation.place = place(worker, loaded, deadline)?;
        }
        if inputs_at_load {
            let _ = worker.unload(loaded, deadline)?;
            session = None;
        }
        if case.data_sets.len() > 1 {
            observation.data_sets.push((set.name.clone(), event.clone()));
        }
        match (&mut observation.event, event) {
            (Event::Answered(joined), Event::Answered(comparison)) => join(joined, comparison),
            (event, other) => {
                *event = other;
                break;
            }
        }
    }
    if let Some(session) = session {
        // Its answer does not affect the case, but its exit does.
        let _ = worker.unload(session, deadline)?;
    }
    Ok(observation)
}

/// Runs a data set `runs` times; returns the outputs of the first run, or another event.
fn run_set(
    worker: &mut Worker,
    session: u64,
    set: &DataSet,
    options: &RunOptions,
    deadline: Instant,
    run_ns: &mut Option<u64>,
) -> Result<Result<Vec<Named>, Event>, WorkerExit> {
    let mut first: Option<Vec<Named>> = None;
    for run in 0..options.runs.max(1) {
        match worker.run(session, set.inputs.clone(), deadline)? {
            Err(declined) => {
                return Ok(Err(Event::Declined {
                    stage: ErrorStage::Run,
                    declined,
                }));
            }
            Ok(ran) => {
                run_ns.get_or_insert(ran.nanoseconds);
                let Some(outputs) = &first else {
                    first = Some(ran.outputs);
                    continue;
                };
                // Random outputs may differ between runs.
                let differing = differing(outputs, &ran.outputs).filter(|_| set.draws.is_none());
                if let Some(name) = differing {
                    let reason = format!("`{name}` of run {} differs from run 1", run + 1);
                    return Ok(Err(Event::Differed { reason }));
                }
            }
        }
    }
    Ok(Ok(first.unwrap_or_default()))
}

/// Judges random outputs: by their distribution and, if the model sets a seed, by the result of a fresh
/// load.
fn drawn(
    worker: &mut Worker,
    case: &Case,
    set: &DataSet,
    yardstick: Criteria<'_>,
    draws: &Draws,
    outputs: &[Named],
    deadline: Instant,
) -> Result<Event, WorkerExit> {
    let comparison = compare_drawn(&set.expected, outputs, yardstick, draws);
    if comparison.mismatch.is_some() || !draws.seeded() {
        return Ok(Event::Answered(comparison));
    }
    let inputs_at_load = worker.description().wants_inputs_at_load;
    let session = match worker.load(case.load_request(set, inputs_at_load), deadline)? {
        Ok(loaded) => loaded.session,
        Err(declined) => {
            let stage = ErrorStage::Load;
            return Ok(Event::Declined { stage, declined });
        }
    };
    let event = match worker.run(session, set.inputs.clone(), deadline)? {
        Ok(ran) => {
            let [first, second] = [outputs, &ran.outputs].map(|outputs| in_order(&set.expected, outputs));
            Event::Answered(comparison.reproduced(draws, &first, &second))
        }
        Err(declined) => Event::Declined {
            stage: ErrorStage::Run,
            declined,
        },
    };
    let _ = worker.unload(session, deadline)?;
    Ok(event)
}

/// The first output that differs in any bit.
fn differing<'n>(a: &'n [Named], b: &[Named]) -> Option<&'n str> {
    let position = a.iter().zip(b).position(|(a, b)| a != b);
    position
        .and_then(|index| a.get(index))
        .map(|(name, _)| name.as_str())
}

/// Only an output of a generated graph can be undecided: its expected value comes from the reference, and
/// errors of earlier values decide what that can say about later ones. A case of one operator has exact
/// inputs, and stored outputs are right by the official rule.
fn note_open(comparison: &mut Comparison, case: &Case, set: &DataSet) {
    comparison.open &= generated::is_graph(&case.id);
    if let (true, Some(mismatch)) = (comparison.open, &mut comparison.mismatch) {
        let reasons = set.envelopes.reasons();
        let reason = match &reasons[..] {
            [] => "rounding admits any value there".to_owned(),
            reasons => reasons.join("; "),
        };
        mismatch.reason = format!("{}; no bound is known: {reason}", mismatch.reason);
    }
}

/// Merges the comparison of another data set; the first mismatch is kept.
fn join(joined: &mut Comparison, further: Comparison) {
    joined.outputs.extend(further.outputs);
    joined.open = match (&joined.mismatch, &further.mismatch) {
        (Some(_), Some(_)) => joined.open && further.open,
        (Some(_), None) => joined.open,
        (None, _) => further.open,
    };
    joined.mismatch = joined.mismatch.take().or(further.mismatch);
    joined.official &= further.official;
}
