//! Generated cases: models from `onnx-generator` with the outputs of a witness as expected outputs.
//!
//! A generated case has no stored outputs. They are computed by a *witness*, one backend in its own
//! workers, and the corpus states its name. No backend is judged by its own outputs: [`circular`]
//! detects this. The reference can be both witness and backend in only one way: as the function bodies
//! of ONNX (`reference:functions=bodies`), for the versions that have one.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::Named;
use harness_corpus::{CaseId, Corpus, CorpusError};
use harness_worker::{BackendArg, Cancel, Pool, StartError, Worker, WorkerSpec};
use onnx_generator::{Case, Phase};
use onnx_model::encode_value;
use onnx_schema::{FunctionKind, OperatorSchema};

/// The corpus of generated cases.
pub const CORPUS: &str = "generated";

/// The default witness.
pub const WITNESS: &str = "reference";

/// The witness that is another definition of the reference's operators.
const BODIES: &str = "reference:functions=bodies";

/// Whether a case is a generated graph.
pub fn is_graph(id: &CaseId) -> bool {
    id.corpus() == CORPUS && id.suite() == onnx_generator::GRAPHS
}

/// The kind of generated cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Single operators: every version, type and attribute value.
    Operators,
    /// The same of the operators that ONNX Runtime adds.
    Contrib,
    /// Whole graphs of many operators.
    Graphs,
}

/// A request for generated cases.
#[derive(Clone, Debug)]
pub struct Request {
    pub kind: Kind,
    /// The maximum number of cases.
    pub most: usize,
    /// The seed of all draws.
    pub seed: u64,
    /// The witness as given on the command line.
    pub witness: String,
    /// Whether only versions with a static function body in ONNX are generated.
    pub bodies: bool,
}

/// The corpus and the cases that the witness declined.
#[derive(Debug)]
pub struct Generated {
    /// The cases that the witness answered.
    pub corpus: Corpus,
    /// The number of declined cases by operator version or graph, with the first reason.
    pub declined: BTreeMap<String, (usize, String)>,
}

/// Why there is no corpus.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The witness does not start.
    #[error("the witness of the generated cases: {0}")]
    Witness(#[from] StartError),
    /// The corpus cannot be made of the cases.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}

/// Whether a backend would be judged by its own outputs: it is the witness, or the same program with
/// other options.
pub fn circular(witness: &BackendArg, backend: &BackendArg) -> bool {
    witness.has_program_of(backend) && !by_bodies(witness, backend)
}

/// Whether one of the two is the reference by function bodies, and the other the reference by its own
/// code.
pub fn by_bodies(witness: &BackendArg, backend: &BackendArg) -> bool {
    let pair = [witness.text(), backend.text()];
    pair.contains(&BODIES) && pair.contains(&WITNESS)
}

/// The generated case of seed 0 with this name, for a version of an operator.
pub fn case(schema: &'static OperatorSchema, name: &str) -> Option<Case> {
    /// No version has more cases.
    const MAX_CASES: usize = 1500;
    let mut plan = onnx_generator::plan(schema, 0).ok()?;
    plan.extend(Phase::Pair, MAX_CASES);
    plan.draw(MAX_CASES);
    plan.into_cases()
        .into_iter()
        .map(|(_, case)| case)
        .find(|case| case.name == name)
}

/// Generates cases and computes their outputs by the witness.
///
/// `wanted` selects cases by id.
///
/// # Errors
/// The witness does not start.
pub fn corpus(
    request: &Request,
    wanted: impl Fn(&CaseId) -> bool,
    witness: WorkerSpec,
    workers: NonZeroUsize,
    timeout: Duration,
    cancel: &Cancel,
) -> Result<Generated, GenerateError> {
    let mut cases = match request.kind {
        Kind::Operators => onnx_generator::cases(request.seed, request.most),
        Kind::Contrib => onnx_generator::contrib_cases(request.seed, request.most),
        Kind::Graphs => onnx_generator::graphs::graphs(request.seed, request.most).collect(),
    };
    cases.retain(|case| {
        CaseId::new(CORPUS, &case.suite, &case.name).is_ok_and(|id| wanted(&id))
            && (!request.bodies || has_body(case))
    });
    let pool = Pool::start(witness, workers, cancel.clone())?;
    let mut answers: Vec<Option<Vec<Named>>> = vec![None; cases.len()];
    let mut declined: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let _ = pool.run_jobs(
        &cases,
        |worker, case| answer(worker, case, timeout),
        |index, outcome| {
            let (case, reason) = match (&cases.get(index), outcome.result) {
                (Some(_), Ok(Ok(outputs))) => {
                    if let Some(slot) = answers.get_mut(index) {
                        *slot = Some(outputs);
                    }
                    return;
                }
                (Some(case), Ok(Err(reason))) => (*case, reason),
                (Some(case), Err(failure)) => (*case, failure.to_string()),
                (None, _) => return,
            };
            let what = match request.kind {
                Kind::Operators | Kind::Contrib => case.suite.clone(),
                Kind::Graphs => format!("{}/{}", case.suite, case.name),
            };
            declined.entry(what).or_insert((0, reason)).0 += 1;
        },
    );
    let answered = cases
        .iter()
        .zip(answers)
        .filter_map(|(case, outputs)| Some((case, outputs?)));
    let files = answered
        .flat_map(|(case, outputs)| files(case, &outputs, &request.witness))
        .collect();
    Ok(Generated {
        corpus: Corpus::of_files(CORPUS, files)?,
        declined,
    })
}

fn has_body(case: &Case) -> bool {
    let schema = onnx_schema::all().find(|schema| schema.to_string() == case.suite);
    schema.is_some_and(|schema| schema.function == FunctionKind::Static)
}

/// The outputs of the witness, or why it gives none.
fn answer(
    worker: &mut Worker,
    case: &Case,
    timeout: Duration,
) -> Result<Result<Vec<Named>, String>, harness_worker::WorkerExit> {
    let deadline = Instant::now() + timeout;
    let ran = worker.run_once(case.model.encode().into(), case.inputs.clone(), deadline)?;
    Ok(ran
        .map(|ran| ran.outputs)
        .map_err(|declined| declined.to_string()))
}

/// The files of a case in the official layout.
fn files(case: &Case, outputs: &[Named], witness: &str) -> Vec<(String, Vec<u8>)> {
    let folder = format!("{}/{}", case.suite, case.name);
    let mut model = case.model.clone();
    model.producer_version = format!("expected outputs by {witness}");
    // The shapes of the outputs are now known.
    let graph = Arc::make_mut(&mut model.graph);
    for (info, (_, value)) in graph.outputs.iter_mut().zip(outputs) {
        info.value_type = Some(value.value_type());
    }
    let mut files = vec![(format!("{folder}/model.onnx"), model.encode())];
    for (prefix, values) in [("input", case.inputs.as_slice()), ("output", outputs)] {
        for (index, (name, value)) in values.iter().enumerate() {
            let file = format!("{folder}/test_data_set_0/{prefix}_{index}.pb");
            files.push((file, encode_value(value, name)));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_backend_is_judged_by_its_own_outputs() {
        #[track_caller]
        fn check(witness: &str, backend: &str, expected: bool) {
            let named = |text: &str| text.parse::<BackendArg>().expect("a backend");
            assert_eq!(
                circular(&named(witness), &named(backend)),
                expected,
                "{witness} for {backend}"
            );
        }
        check("reference", "reference", true);
        check("reference", "reference:seed=3", true);
        check("reference", "reference:functions=bodies", false);
        check("reference:functions=bodies", "reference", false);
        check("reference:functions=bodies", "reference:functions=bodies", true);
        check("reference", "native", false);
        check("reference", "mine=reference", true);
        check("ort", "ort:threads=2", true);
        check("ort", "reference", false);
        check("cmd:./a", "cmd:./b", false);
        check("cmd:./a", "cmd:./a", true);
    }
}
