//! Computes the reference's answers with each reading, for the cases that may depend on it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use backend_api::Named;
use harness_compare::{Tolerance, compare};
use harness_console::Progress;
use harness_corpus::readings::{Question, Readings};
use harness_worker::{Cancel, Pool, Worker, WorkerExit, WorkerSpec};
use run_record::{Event, LogError, ReadingFollowed};

use super::prepared::Prepared;
use super::{Plan, RunError, Running};
use crate::case::Case;
use crate::readings::{Followed, OPTION, Open};

/// The maximum number of nodes and bytes of a case that is run with other readings: a complete network
/// is no evidence for a single question, and takes long.
const MAX_NODES: usize = 16;
const MAX_BYTES: usize = 1 << 20;

/// The outputs of each data set; `None` if the reference refuses it.
type Answers = Vec<Option<Vec<Named>>>;

/// Whether a case is small enough to be run with other readings.
pub(super) fn is_small(case: &Case) -> bool {
    case.nodes <= MAX_NODES && case.memory() <= MAX_BYTES
}

/// The reference with these answers to questions.
fn with_readings<'q>(
    reference: &WorkerSpec,
    answers: impl IntoIterator<Item = (&'q str, &'q str)>,
) -> WorkerSpec {
    let answers: Vec<String> = answers
        .into_iter()
        .map(|(question, answer)| format!("{question}={answer}"))
        .collect();
    let mut spec = reference.clone();
    spec.options.insert(OPTION.to_owned(), answers.join("+"));
    spec
}

/// The minimum set of workers that together use every answer of the ledger.
pub(super) fn covering_specs(reference: &WorkerSpec, ledger: &Readings) -> Vec<WorkerSpec> {
    let nth = |turn: usize| {
        let answers: Vec<(&str, &str)> = ledger
            .questions()
            .iter()
            .filter_map(|question| Some((question.name.as_str(), question.others().nth(turn)?)))
            .collect();
        (!answers.is_empty()).then(|| with_readings(reference, answers))
    };
    (0..).map_while(nth).collect()
}

impl Running<'_> {
    /// Requests the reference's answers with every reading that concerns a case, and keeps those that
    /// differ.
    pub(super) fn readings(
        &mut self,
        plan: &Plan,
        reference: (&WorkerSpec, &Pool),
        todo: &[&Prepared],
        cancel: &Cancel,
        progress: &Progress,
    ) -> Result<(), RunError> {
        let (began, ledger) = (Instant::now(), Readings::embedded()?);
        let timeout = plan.options.timeout;
        let concerned: Vec<(&Question, Vec<&Prepared>)> = ledger
            .questions()
            .iter()
            .map(|question| {
                let about = |prepared: &&&Prepared| {
                    let facts = prepared.facts(true);
                    facts.is_some_and(|facts| facts.small && question.is_about(&facts.operators))
                };
                (question, todo.iter().filter(about).copied().collect())
            })
            .filter(|(_, cases): &(_, Vec<_>)| !cases.is_empty())
            .collect();
        let mut defaults: BTreeMap<String, Answers> = BTreeMap::new();
        let jobs = concerned
            .iter()
            .map(|(question, cases)| question.others().count() * cases.len());
        let different: BTreeSet<String> = concerned
            .iter()
            .flat_map(|(_, cases)| cases.iter().map(|case| case.files.id.to_string()))
            .collect();
        let meter = progress.meter("readings", jobs.sum::<usize>() + different.len(), "answered");
        for (question, cases) in concerned {
            let unknown: Vec<&Prepared> = cases
                .iter()
                .filter(|prepared| !defaults.contains_key(&prepared.files.id.to_string()))
                .copied()
                .collect();
            for (prepared, answers) in ask(reference.1, &unknown, timeout, &meter) {
                defaults.insert(prepared.files.id.to_string(), answers);
            }
            for other in question.others() {
                let spec = with_readings(reference.0, [(question.name.as_str(), other)]);
                let pool = Pool::start(spec, plan.workers, cancel.clone())?;
                for (prepared, answers) in ask(&pool, &cases, timeout, &meter) {
                    if let Some(default) = defaults.get(&prepared.files.id.to_string()) {
                        prepared.note_reading(question, other, default, answers);
                    }
                }
            }
        }
        let wall_s = began.elapsed().as_secs_f64();
        meter.finish(wall_s);
        self.note(Event::PhaseFinished {
            name: "readings".to_owned(),
            wall_s,
        })?;
        Ok(())
    }

    /// Records which answers a backend follows in a case.
    pub(super) fn followed(
        &mut self,
        case: &str,
        backend: &str,
        followed: Vec<Followed>,
    ) -> Result<(), LogError> {
        for one in followed {
            self.note(Event::ReadingFollowed(ReadingFollowed {
                case: case.to_owned(),
                backend: backend.to_owned(),
                question: one.question,
                answer: one.answer,
                default: one.default,
            }))?;
        }
        Ok(())
    }
}

/// The answers of a pool to these cases; `None` for a case that cannot be read, or whose worker ended.
fn ask<'p>(
    pool: &Pool,
    cases: &[&'p Prepared],
    timeout: Duration,
    meter: &harness_console::Meter,
) -> Vec<(&'p Prepared, Answers)> {
    let mut all = Vec::new();
    // The run on backends handles an interruption.
    let _ = pool.run_jobs(
        cases,
        |worker, prepared| match prepared.case() {
            Ok(case) => answers(worker, &case, timeout).map(Some),
            Err(_) => Ok(None),
        },
        |index, outcome| {
            meter.step(outcome.result.is_ok());
            if let (Some(prepared), Ok(Some(answers))) = (cases.get(index), outcome.result) {
                all.push((*prepared, answers));
            }
        },
    );
    all
}

fn answers(worker: &mut Worker, case: &Case, timeout: Duration) -> Result<Answers, WorkerExit> {
    let deadline = Instant::now() + timeout;
    let nothing = vec![None; case.data_sets.len()];
    let Some(first) = case.data_sets.first() else {
        return Ok(nothing);
    };
    let Ok(loaded) = worker.load(case.load_request(first, false), deadline)? else {
        return Ok(nothing);
    };
    let mut answers = Vec::with_capacity(case.data_sets.len());
    for set in &case.data_sets {
        let ran = match set.draws {
            // Random outputs depend on no reading.
            Some(_) => None,
            None => worker.run(loaded.session, set.inputs.clone(), deadline)?.ok(),
        };
        answers.push(ran.map(|ran| ran.outputs));
    }
    let _ = worker.unload(loaded.session, deadline)?;
    Ok(answers)
}

/// Adds an answer of the reference to the open questions of a data set if it differs from the default
/// answer.
pub(super) fn add(
    open: &mut Vec<Open>,
    question: &Question,
    name: &str,
    (default, answer): (Option<&Vec<Named>>, Option<Vec<Named>>),
    tolerance: Tolerance,
) {
    let Some(answer) = answer else { return };
    let differs = default.is_none_or(|default| compare(default, &answer, tolerance).mismatch.is_some());
    if !differs {
        return;
    }
    match open.iter_mut().find(|open| open.question == question.name) {
        Some(open) => open.others.push((name.to_owned(), answer)),
        None => open.push(Open {
            question: question.name.clone(),
            default: (question.default.clone(), default.cloned()),
            others: vec![(name.to_owned(), answer)],
        }),
    }
}
