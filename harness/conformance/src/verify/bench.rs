//! A worker for checks, restarted if a check ends it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::{Answer, Load, Request};
use backend_api::{BackendError, Named};
use harness_worker::{Cancel, Declined, StartError, Worker, WorkerSpec};
use onnx_model::{Model, encode_value};
use onnx_tensor::{Tensor, Value, dispatch};

use super::Outcome;

/// The time limit of one request.
pub(super) const TIME: Duration = Duration::from_secs(20);

/// A worker and its specification.
pub(super) struct Bench {
    pub spec: Arc<WorkerSpec>,
    pub cancel: Cancel,
    pub worker: Worker,
}

impl Bench {
    pub fn start(spec: WorkerSpec, cancel: Cancel) -> Result<Bench, StartError> {
        let spec = Arc::new(spec);
        let worker = Worker::start(Arc::clone(&spec), cancel.clone())?;
        Ok(Bench { spec, cancel, worker })
    }

    /// Restarts the worker if it ended.
    pub fn ensure(&mut self) -> Result<(), StartError> {
        if !self.worker.is_ready() {
            self.worker = Worker::start(Arc::clone(&self.spec), self.cancel.clone())?;
        }
        Ok(())
    }

    /// Sends a request. If the worker ends, the check fails.
    pub fn call(&mut self, request: Request) -> Result<Answer, Outcome> {
        let answer = self.worker.call(request, Instant::now() + TIME);
        answer.map_err(|exit| Outcome::Failed(format!("the worker ended: {exit}")))
    }

    /// Loads a model, or reports that it was declined.
    pub fn load(&mut self, model: &Model, inputs: &[Named]) -> Result<u64, Outcome> {
        self.try_load(model, inputs).and_then(session_of)
    }

    fn try_load(&mut self, model: &Model, inputs: &[Named]) -> Result<Answer, Outcome> {
        let wanted = self.worker.description().wants_inputs_at_load;
        let load = Load {
            model: model.encode().into(),
            inputs: if wanted { inputs.to_vec() } else { Vec::new() },
            ..Load::default()
        };
        self.call(Request::Load(load))
    }

    /// Runs a loaded model.
    pub fn run(&mut self, session: u64, inputs: &[Named]) -> Result<Vec<Named>, Outcome> {
        let request = Request::Run {
            session,
            inputs: inputs.to_vec(),
            outputs: None,
        };
        match self.call(request)? {
            Answer::Ran(ran) => Ok(ran.outputs),
            answer => Err(declined("run", answer)),
        }
    }

    pub fn unload(&mut self, session: u64) -> Result<(), Outcome> {
        match self.call(Request::Unload { session })? {
            Answer::Unloaded => Ok(()),
            answer => Err(declined("unload", answer)),
        }
    }

    /// Whether a model gives these outputs for these inputs, bit for bit.
    pub fn gives(&mut self, model: &Model, inputs: &[Named], expected: &[Named]) -> Outcome {
        let loaded = match self.try_load(model, inputs) {
            Ok(Answer::Failed {
                error: error @ BackendError::Load { .. },
            }) => return Outcome::NotLoaded(error.to_string()),
            answer => answer.and_then(session_of),
        };
        let given = loaded.and_then(|session| {
            let outputs = self.run(session, inputs)?;
            self.unload(session)?;
            Ok(outputs)
        });
        match given {
            Ok(outputs) => same(&outputs, expected),
            Err(outcome) => outcome,
        }
    }
}

/// The session of a loaded model.
fn session_of(answer: Answer) -> Result<u64, Outcome> {
    match answer {
        Answer::Loaded(loaded) => Ok(loaded.session),
        answer => Err(declined("load", answer)),
    }
}

/// An answer of another kind than requested.
pub(super) fn declined(what: &str, answer: Answer) -> Outcome {
    match answer {
        Answer::Failed {
            error: error @ BackendError::Unsupported { .. },
        } => Outcome::Unsupported(error.to_string()),
        Answer::Failed { error } => Outcome::Failed(format!("{what}: {error}")),
        Answer::Refused(refusal) => Outcome::Failed(format!("{what}: {}", Declined::Refused(refusal))),
        answer => Outcome::Failed(format!("`{}` answers `{what}`", answer.name())),
    }
}

/// Whether outputs equal the expected ones in names, types, shapes and bits.
pub(super) fn same(outputs: &[Named], expected: &[Named]) -> Outcome {
    let names = |named: &[Named]| {
        named
            .iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
            .join(", ")
    };
    if names(outputs) != names(expected) {
        return Outcome::Failed(format!(
            "expected the outputs {}, got {}",
            names(expected),
            names(outputs)
        ));
    }
    let bits = |value: &Value| encode_value(value, "");
    for ((name, value), (_, wanted)) in outputs.iter().zip(expected) {
        if value.value_type() != wanted.value_type() {
            return Outcome::Failed(format!(
                "`{name}`: expected {}, got {}{}",
                words(wanted),
                words(value),
                match value {
                    Value::Optional { value: None, .. } => " (the worker returned no value: None in Python)",
                    _ => "",
                }
            ));
        }
        if bits(value) != bits(wanted) {
            return Outcome::Failed(format!(
                "`{name}` has other bits: expected {}, got {}{}",
                words(wanted),
                words(value),
                first_difference(wanted, value)
            ));
        }
    }
    Outcome::Passed
}

/// The type of a value with its shape and first elements, or that it is absent.
fn words(value: &Value) -> String {
    match value {
        Value::Tensor(tensor) => format!(
            "{}{:?} {}",
            tensor.dtype(),
            tensor.shape(),
            shortened(&elements(tensor))
        ),
        Value::Optional { value: None, .. } => format!("{} without a value", value.value_type()),
        Value::Optional {
            value: Some(inner), ..
        } => format!("{} with {}", value.value_type(), words(inner)),
        Value::Sequence(sequence) => {
            let values: Vec<String> = sequence.values.iter().map(words).collect();
            format!(
                "{} of {}",
                value.value_type(),
                shortened(&format!("[{}]", values.join(", ")))
            )
        }
        other => other.value_type().to_string(),
    }
}

/// The elements of a tensor as text.
fn elements(tensor: &Tensor) -> String {
    dispatch!(all, tensor.dtype(), T => tensor.to_vec::<T>().map(|elements| format!("{elements:?}")))
        .unwrap_or_default()
}

/// The first characters of a text.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The place of the first element that differs, for tensors of one shape whose first elements may be equal.
fn first_difference(expected: &Value, observed: &Value) -> String {
    let (Value::Tensor(expected), Value::Tensor(observed)) = (expected, observed) else {
        return String::new();
    };
    let single = |tensor: &Tensor| -> Vec<String> {
        dispatch!(all, tensor.dtype(), T => tensor.to_vec::<T>().map(|elements| elements.iter().map(|x| format!("{x:?}")).collect()))
            .unwrap_or_default()
    };
    let (expected, observed) = (single(expected), single(observed));
    let differs = |(_, (a, b)): &(usize, (&String, &String))| a != b;
    match expected.iter().zip(&observed).enumerate().find(differs) {
        Some((place, (a, b))) => format!("; element {place}: expected {a}, got {b}"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, ValueType};

    use super::*;

    #[track_caller]
    fn check(expected: Value, observed: Value, said: &str) {
        let named = |value: Value| [("y".to_owned(), value)];
        assert_eq!(
            same(&named(observed), &named(expected)),
            Outcome::Failed(said.to_owned())
        );
    }

    #[test]
    fn a_failed_check_names_the_values() {
        let floats = |values: &[f32]| Value::Tensor(Tensor::vector(values.to_vec()));
        let nothing = Value::Optional {
            element: ValueType::tensor(DType::Uint8),
            value: None,
        };
        check(
            floats(&[1.0, 2.0]),
            floats(&[1.0, 2.5]),
            "`y` has other bits: expected float[2] [1.0, 2.0], got float[2] [1.0, 2.5]; element 1: expected 2.0, got 2.5",
        );
        check(
            floats(&[1.0]),
            Value::Tensor(Tensor::scalar(1.0_f32)),
            "`y`: expected float[1] [1.0], got float[] [1.0]",
        );
        check(
            floats(&[1.0]),
            nothing,
            "`y`: expected float[1] [1.0], got optional(tensor(uint8)) without a value (the worker returned no value: None in Python)",
        );
    }
}
