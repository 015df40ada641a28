//! A worker for checks, restarted if a check ends it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::{Answer, Load, Request};
use backend_api::{BackendError, Named};
use harness_worker::{Cancel, Declined, StartError, Worker, WorkerSpec};
use onnx_model::{Model, encode_value};
use onnx_tensor::Value;

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
                "`{name}`: expected {}, got {}",
                wanted.value_type(),
                value.value_type()
            ));
        }
        if bits(value) != bits(wanted) {
            return Outcome::Failed(format!("`{name}` has other bits or another shape than the input"));
        }
    }
    Outcome::Passed
}
