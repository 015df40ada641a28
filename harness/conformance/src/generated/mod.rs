//! Generated cases: models from `onnx-generator`, with the outputs of a witness as the expected ones.
//!
//! A generated case has no stored outputs. A *witness*, one backend in its own workers, gives them, and the corpus carries its
//! name. No backend is judged by its own outputs: [`circular`] says when it would be. The reference may judge and be judged at
//! once in one way only: by the function bodies of ONNX (`reference:functions=bodies`), for the versions that have one.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::Named;
use backend_api::protocol::Load;
use harness_corpus::{CaseId, Corpus, CorpusError};
use harness_worker::{Cancel, Pool, StartError, Worker, WorkerSpec, is_remote};
use onnx_generator::{Case, Phase};
use onnx_model::encode_value;
use onnx_schema::{FunctionKind, OperatorSchema};

/// The corpus that generated cases make.
pub const CORPUS: &str = "generated";

/// The witness where none is named.
pub const WITNESS: &str = "reference";

/// The witness that is another definition of the reference's operators.
const BODIES: &str = "reference:functions=bodies";

/// What is generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Single operators: every version, type and attribute value.
    Operators,
    /// Whole graphs of many operators.
    Graphs,
}

/// Which cases are generated.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is generated.
    pub kind: Kind,
    /// The most cases.
    pub most: usize,
    /// What the draws depend on.
    pub seed: u64,
    /// The witness as it was typed.
    pub witness: String,
    /// Whether only versions are wanted that ONNX defines by a static body as well.
    pub bodies: bool,
}

/// The corpus with what the witness could not answer.
#[derive(Debug)]
pub struct Generated {
    /// The cases that the witness answered.
    pub corpus: Corpus,
    /// How many cases it declined, by operator version or graph, with the first reason.
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

/// Whether a backend would be judged by its own outputs: it is the witness, or the same program with other options.
pub fn circular(witness: &str, backend: &str) -> bool {
    let program = |text: &str| match text.split_once(':') {
        Some(("cmd" | "stdio", _)) | None => text.to_owned(),
        Some((scheme, _)) if is_remote(scheme) => text.to_owned(),
        Some((name, _)) => name.to_owned(),
    };
    program(witness) == program(backend) && !by_bodies(witness, backend)
}

/// Whether one of the two is the reference by the function bodies, and the other the reference by its own code.
pub fn by_bodies(witness: &str, backend: &str) -> bool {
    let pair = [witness, backend];
    pair.contains(&BODIES) && pair.contains(&WITNESS)
}

/// The generated case of seed 0 with this name, of a version of an operator.
pub fn case(schema: &'static OperatorSchema, name: &str) -> Option<Case> {
    /// No list of a version is longer.
    const LONGEST: usize = 1500;
    let mut plan = onnx_generator::plan(schema, 0).ok()?;
    plan.extend(Phase::Pair, LONGEST);
    plan.draw(LONGEST);
    plan.into_cases()
        .into_iter()
        .map(|(_, case)| case)
        .find(|case| case.name == name)
}

/// Generates cases and asks the witness for their outputs.
///
/// `wanted` says which of them are asked for by their id.
///
/// # Errors
/// A witness that does not start.
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
                Kind::Operators => case.suite.clone(),
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

/// The outputs of the witness, or why it has none.
fn answer(
    worker: &mut Worker,
    case: &Case,
    timeout: Duration,
) -> Result<Result<Vec<Named>, String>, harness_worker::WorkerExit> {
    let deadline = Instant::now() + timeout;
    let load = Load {
        model: case.model.encode().into(),
        ..Load::default()
    };
    let loaded = match worker.load(load, deadline)? {
        Ok(loaded) => loaded,
        Err(declined) => return Ok(Err(declined.to_string())),
    };
    let ran = worker.run(loaded.session, case.inputs.clone(), deadline)?;
    let _ = worker.unload(loaded.session, deadline)?;
    Ok(ran
        .map(|ran| ran.outputs)
        .map_err(|declined| declined.to_string()))
}

/// The files of a case in the official layout.
fn files(case: &Case, outputs: &[Named], witness: &str) -> Vec<(String, Vec<u8>)> {
    let folder = format!("{}/{}", case.suite, case.name);
    let mut model = case.model.clone();
    model.producer_version = format!("expected outputs by {witness}");
    // Only now the shapes of the outputs are known.
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
            assert_eq!(circular(witness, backend), expected, "{witness} for {backend}");
        }
        check("reference", "reference", true);
        check("reference", "reference:seed=3", true);
        check("reference", "reference:functions=bodies", false);
        check("reference:functions=bodies", "reference", false);
        check("reference:functions=bodies", "reference:functions=bodies", true);
        check("reference", "native", false);
        check("ort", "ort:threads=2", true);
        check("ort", "reference", false);
        check("cmd:./a", "cmd:./b", false);
        check("cmd:./a", "cmd:./a", true);
    }
}
