//! Runs all cases: faults in the outputs of the corpus and of backends.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::Bytes;
use backend_api::Named;
use backend_api::protocol::Load;
use harness_compare::policy::Policy;
use harness_conformance::case::{Case, CaseError, DataSet, SetBounds};
use harness_conformance::reference::bounds;
use harness_console::note;
use harness_corpus::{CaseFiles, CaseId};
use harness_worker::{Cancel, Completion, Pool, StartError, Worker, WorkerExit, WorkerSpec};
use onnx_model::{Limits, Model, Source};

use super::{FAULTS, KillTable, Subject, judge, plant};
use run_record::text::counted;

/// The name of the corpus as a source of correct outputs.
pub const CORPUS: &str = "corpus";

/// The parameters of a mutation run.
#[derive(Debug)]
pub struct MutatePlan {
    pub cases: Vec<CaseFiles>,
    /// The reference, which computes the outputs of modified models.
    pub reference: WorkerSpec,
    /// Backends whose outputs are mutated as well.
    pub backends: Vec<WorkerSpec>,
    /// Maximum number of workers of each at one time.
    pub workers: NonZeroUsize,
    /// Timeout of one case.
    pub timeout: Duration,
    /// The policies that judge every fault.
    pub policies: Vec<Arc<Policy>>,
    /// The seed of the positions of faults.
    pub seed: u64,
}

/// The result of a mutation run.
#[derive(Debug)]
pub struct Mutated {
    /// Which faults were detected.
    pub kills: KillTable,
    /// Whether every case was processed.
    pub completion: Completion,
    /// The cases that cannot be read. No fault is planted into them.
    pub unreadable: Vec<(CaseId, CaseError)>,
}

/// Plants and judges all faults. Wrong outputs of a backend are not mutated.
///
/// # Errors
/// A worker does not start.
pub fn run(plan: &MutatePlan, cancel: &Cancel) -> Result<Mutated, StartError> {
    let mut kills = KillTable::default();
    let (mut cases, unreadable) = decode(&plan.cases);
    bound_all(&mut cases, plan, cancel)?;
    let mut sources = vec![(CORPUS.to_owned(), &plan.reference)];
    sources.extend(plan.backends.iter().map(|spec| (spec.name.clone(), spec)));
    for (source, spec) in sources {
        let pool = Pool::start(spec.clone(), plan.workers, cancel.clone())?;
        let completion = pool.run_jobs(
            &cases,
            |worker, case| mutate(worker, case, &source, plan),
            |_, outcome| {
                if let Ok(found) = outcome.result {
                    kills.join(found);
                }
            },
        );
        note(format_args!("faults in outputs of {source}: planted and judged"));
        if completion != Completion::Complete {
            return Ok(Mutated {
                kills,
                completion,
                unreadable,
            });
        }
    }
    Ok(Mutated {
        kills,
        completion: Completion::Complete,
        unreadable,
    })
}

/// The cases that can be read, and the others with the reason.
fn decode(files: &[CaseFiles]) -> (Vec<Case>, Vec<(CaseId, CaseError)>) {
    let (mut cases, mut unreadable) = (Vec::new(), Vec::new());
    for files in files {
        match Case::decode(files) {
            Ok(case) => cases.push(case),
            Err(error) => unreadable.push((files.id.clone(), error)),
        }
    }
    (cases, unreadable)
}

/// Requests the bounds from the reference.
fn bound_all(cases: &mut [Case], plan: &MutatePlan, cancel: &Cancel) -> Result<(), StartError> {
    let pool = Pool::start(plan.reference.clone(), plan.workers, cancel.clone())?;
    let mut found: Vec<(usize, Vec<SetBounds>)> = Vec::new();
    // Later code handles an interruption.
    let _ = pool.run_jobs(
        cases,
        |worker, case| bounds(worker, case, plan.timeout),
        |index, outcome| found.extend(outcome.result.ok().map(|bounds| (index, bounds))),
    );
    for (index, bounds) in found {
        if let Some(case) = cases.get_mut(index) {
            *case = case.clone().with_bounds(bounds);
        }
    }
    note(format_args!(
        "bounds: computed for {}",
        counted(cases.len(), "case")
    ));
    Ok(())
}

/// Plants every fault into every data set of a case.
fn mutate(
    worker: &mut Worker,
    case: &Case,
    source: &str,
    plan: &MutatePlan,
) -> Result<KillTable, WorkerExit> {
    let deadline = Instant::now() + plan.timeout;
    let mut kills = KillTable::default();
    let model = Model::decode(
        case.model.clone(),
        &Source::named("the model"),
        &Limits::default(),
    )
    .ok();
    // Random outputs have no correct values.
    for set in case.data_sets.iter().filter(|set| set.draws.is_none()) {
        let outputs = match source {
            CORPUS => Some(set.expected.clone()),
            _ => run_model(worker, case, set, case.model.clone(), deadline)?,
        };
        let Some(outputs) = outputs else { continue };
        let subject = Subject {
            case,
            model: model.as_ref(),
            set,
            outputs: &outputs,
            source,
        };
        // Wrong outputs cannot show that a fault is detected.
        let right = plan
            .policies
            .iter()
            .filter(|policy| judge(&subject, policy, &outputs));
        let right: Vec<&Arc<Policy>> = right.collect();
        for fault in FAULTS.iter().filter(|_| !right.is_empty()) {
            let planted = plant(&subject, fault, plan.seed, |model| {
                run_model(worker, case, set, model.encode().into(), deadline)
            })?;
            let Some(planted) = planted else { continue };
            for policy in &right {
                let killed = !judge(&subject, policy, &planted);
                kills.add(
                    &policy.used.name,
                    source,
                    &case.id.to_string(),
                    fault.name,
                    killed,
                );
            }
        }
    }
    Ok(kills)
}

/// The outputs of a model for a data set; `None` if the worker declines.
fn run_model(
    worker: &mut Worker,
    case: &Case,
    set: &DataSet,
    model: Bytes,
    deadline: Instant,
) -> Result<Option<Vec<Named>>, WorkerExit> {
    let inputs_at_load = worker.description().wants_inputs_at_load;
    let load = Load {
        model,
        ..case.load_request(set, inputs_at_load)
    };
    let Ok(loaded) = worker.load(load, deadline)? else {
        return Ok(None);
    };
    let ran = worker.run(loaded.session, set.inputs.clone(), deadline)?;
    let _ = worker.unload(loaded.session, deadline)?;
    Ok(ran.ok().map(|ran| ran.outputs))
}
