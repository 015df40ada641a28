//! Checks of invalid requests: the answer is a typed error, and the worker continues.

use backend_api::Named;
use backend_api::protocol::{Answer, Load, RefusalKind, Request};
use onnx_model::Model;
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

use super::bench::Bench;
use super::models::one_node;
use super::{Check, Outcome, check};

/// A session number that no worker has assigned.
const NO_SESSION: u64 = u64::MAX >> 1;

pub(super) fn checks() -> Vec<Check> {
    vec![
        check("bytes that are not a model", |bench| {
            refuses_model(bench, vec![0xff; 64])
        }),
        check("an empty model", |bench| refuses_model(bench, Vec::new())),
        check("a truncated model", |bench| {
            let bytes = plain().encode();
            let half = bytes.len() / 2;
            refuses_model(bench, bytes.into_iter().take(half).collect())
        }),
        check("an operator that does not exist", |bench| {
            let float = ValueType::tensor(DType::Float);
            let model = one_node(
                "NoSuchOperator",
                13,
                std::slice::from_ref(&float),
                &float,
                Vec::new(),
            );
            refuses_model(bench, model.encode())
        }),
        check("an input of another element type", |bench| {
            refuses_run(
                bench,
                &[("x".to_owned(), Value::Tensor(Tensor::vector(vec![1_i64, 2])))],
            )
        }),
        check("a missing input", |bench| refuses_run(bench, &[])),
        check("an input that the model does not have", |bench| {
            let value = |name: &str| (name.to_owned(), Value::Tensor(Tensor::vector(vec![1_f32, 2.0])));
            refuses_run(bench, &[value("x"), value("no such input")])
        }),
        check("a run of a session that is not loaded", |bench| {
            let request = Request::Run {
                session: NO_SESSION,
                inputs: Vec::new(),
                outputs: None,
            };
            refuses_session(bench, request)
        }),
        check("an unload of a session that is not loaded", |bench| {
            refuses_session(bench, Request::Unload { session: NO_SESSION })
        }),
        check("a run of a session that was unloaded", |bench| {
            let session = match bench.load(&plain(), &feed()).and_then(|session| {
                bench.unload(session)?;
                Ok(session)
            }) {
                Ok(session) => session,
                Err(outcome) => return outcome,
            };
            let request = Request::Run {
                session,
                inputs: feed().to_vec(),
                outputs: None,
            };
            refuses_session(bench, request)
        }),
    ]
}

/// An Identity of two floats.
pub(super) fn plain() -> Model {
    let pair = ValueType::Tensor {
        dtype: DType::Float,
        shape: Some(vec![Dim::Fixed(2)]),
    };
    one_node("Identity", 13, std::slice::from_ref(&pair), &pair, Vec::new())
}

/// Its input.
pub(super) fn feed() -> [Named; 1] {
    [("x".to_owned(), Value::Tensor(Tensor::vector(vec![1_f32, 2.0])))]
}

/// Its output.
pub(super) fn result() -> [Named; 1] {
    feed().map(|(_, value)| ("y".to_owned(), value))
}

/// Whether the plain model still runs.
fn goes_on(bench: &mut Bench) -> Outcome {
    match bench.gives(&plain(), &feed(), &result()) {
        Outcome::Failed(reason) => Outcome::Failed(format!("afterwards the plain model fails: {reason}")),
        outcome => outcome,
    }
}

/// Expects a typed error for a load of these bytes, at the latest when the model runs.
fn refuses_model(bench: &mut Bench, bytes: Vec<u8>) -> Outcome {
    let load = Load {
        model: bytes.into(),
        ..Load::default()
    };
    match bench.call(Request::Load(load)) {
        Ok(Answer::Failed { .. } | Answer::Refused(_)) => goes_on(bench),
        Ok(Answer::Loaded(loaded)) => {
            let request = Request::Run {
                session: loaded.session,
                inputs: feed().to_vec(),
                outputs: None,
            };
            match bench.call(request) {
                Ok(Answer::Failed { .. } | Answer::Refused(_)) => goes_on(bench),
                Ok(answer) => Outcome::Failed(format!("`{}` instead of an error", answer.name())),
                Err(outcome) => outcome,
            }
        }
        Ok(answer) => Outcome::Failed(format!("`{}` instead of an error", answer.name())),
        Err(outcome) => outcome,
    }
}

/// Expects a typed error for a run of the plain model with these inputs.
fn refuses_run(bench: &mut Bench, inputs: &[Named]) -> Outcome {
    let session = match bench.load(&plain(), &feed()) {
        Ok(session) => session,
        Err(outcome) => return outcome,
    };
    let request = Request::Run {
        session,
        inputs: inputs.to_vec(),
        outputs: None,
    };
    match bench.call(request) {
        Ok(Answer::Failed { .. } | Answer::Refused(_)) => goes_on(bench),
        Ok(answer) => Outcome::Failed(format!("`{}` instead of an error", answer.name())),
        Err(outcome) => outcome,
    }
}

/// Expects that a request for an unknown session is refused as such.
fn refuses_session(bench: &mut Bench, request: Request) -> Outcome {
    match bench.call(request) {
        Ok(Answer::Refused(refusal)) if refusal.reason == RefusalKind::UnknownSession => goes_on(bench),
        Ok(Answer::Refused(refusal)) => Outcome::Failed(format!(
            "refused as {:?}, expected an unknown session",
            refusal.reason
        )),
        Ok(answer) => Outcome::Failed(format!("`{}` instead of a refusal", answer.name())),
        Err(outcome) => outcome,
    }
}
