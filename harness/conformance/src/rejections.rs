//! Runs models that must be refused on backends, and reports which are accepted.
//!
//! Each model of `onnx-rejections` violates one rule. A backend refuses it by an error at load or at
//! run, or reports that it does not support it. If it gives outputs, it accepts the model: wrongly, or
//! as [`Contract::Unpredictable`] permits, if the meaning is clear and real models rely on it.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use backend_api::protocol::Load;
use backend_api::{BackendError, Named};
use harness_worker::{Cancel, Declined, Pool, StartError, Worker, WorkerExit, WorkerSpec};
use onnx_model::{Limits, Model, Source};
use onnx_rejections::{Contract, Rejection};
use onnx_tensor::{DType, Dim, Sequence, Tensor, Value, ValueType};

/// The result of a model that must be refused.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// The backend refused it.
    Refused,
    /// The backend said that it does not support it.
    Unsupported,
    /// The backend gave outputs, and the contract permits this.
    Allowed,
    /// The backend gave outputs although the model is invalid.
    AcceptedWrongly,
    /// The worker ended, hung or violated the protocol.
    Broken(String),
}

impl Verdict {
    /// The name in reports.
    pub const fn label(&self) -> &'static str {
        match self {
            Verdict::Refused => "refused",
            Verdict::Unsupported => "unsupported",
            Verdict::Allowed => "unpredictable, allowed",
            Verdict::AcceptedWrongly => "accepted wrongly",
            Verdict::Broken(_) => "broken",
        }
    }

    /// Whether it is a fault of the backend.
    pub const fn is_fault(&self) -> bool {
        match self {
            Verdict::AcceptedWrongly | Verdict::Broken(_) => true,
            Verdict::Refused | Verdict::Unsupported | Verdict::Allowed => false,
        }
    }
}

/// The results of a backend.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The backend's display name.
    pub backend: String,
    /// The verdict on each model, in the order of [`onnx_rejections::all`]; an interrupted run has
    /// fewer.
    pub verdicts: BTreeMap<usize, Verdict>,
}

impl Rejected {
    /// The number of models with this verdict.
    pub fn count(&self, label: &str) -> usize {
        let verdicts = self.verdicts.values();
        verdicts.filter(|verdict| verdict.label() == label).count()
    }
}

/// Runs every model on a backend.
///
/// # Errors
/// A worker does not start.
pub fn rejected(
    spec: WorkerSpec,
    models: &[Rejection],
    workers: NonZeroUsize,
    timeout: Duration,
    cancel: &Cancel,
) -> Result<Rejected, StartError> {
    let backend = spec.name.clone();
    let pool = Pool::start(spec, workers, cancel.clone())?;
    let mut verdicts = BTreeMap::new();
    // An interrupted model has no verdict.
    let _ = pool.run_jobs(
        models,
        |worker, model| accepted(worker, model, timeout),
        |index, outcome| {
            let contract = models.get(index).map(|model| model.contract);
            let verdict = match (outcome.result, contract) {
                (Ok(Answer::Refused), _) => Verdict::Refused,
                (Ok(Answer::Unsupported), _) => Verdict::Unsupported,
                (Ok(Answer::Outputs), Some(Contract::Unpredictable)) => Verdict::Allowed,
                (Ok(Answer::Outputs), _) => Verdict::AcceptedWrongly,
                (Err(failure), _) => Verdict::Broken(failure.to_string()),
            };
            verdicts.insert(index, verdict);
        },
    );
    Ok(Rejected { backend, verdicts })
}

enum Answer {
    Refused,
    Unsupported,
    Outputs,
}

fn accepted(worker: &mut Worker, model: &Rejection, timeout: Duration) -> Result<Answer, WorkerExit> {
    let deadline = Instant::now() + timeout;
    let inputs = inputs(&model.bytes);
    let load = Load {
        model: model.bytes.clone().into(),
        inputs: if worker.description().wants_inputs_at_load {
            inputs.clone()
        } else {
            Vec::new()
        },
        ..Load::default()
    };
    let loaded = match worker.load(load, deadline)? {
        Ok(loaded) => loaded,
        Err(declined) => return Ok(of_declined(&declined)),
    };
    let ran = worker.run(loaded.session, inputs, deadline)?;
    let _ = worker.unload(loaded.session, deadline)?;
    Ok(match ran {
        Ok(_) => Answer::Outputs,
        Err(declined) => of_declined(&declined),
    })
}

fn of_declined(declined: &Declined) -> Answer {
    match declined {
        Declined::Backend(BackendError::Unsupported { .. } | BackendError::NotTaken { .. }) => {
            Answer::Unsupported
        }
        Declined::Backend(_) | Declined::Refused(_) => Answer::Refused,
    }
}

/// A value for each input of the model, if its type can be read: a missing input must not hide the fault
/// of the model.
fn inputs(bytes: &[u8]) -> Vec<Named> {
    let model = Model::decode(bytes.to_vec(), &Source::named("the model"), &Limits::default());
    let Ok(model) = model else { return Vec::new() };
    let required = model.graph.required_inputs();
    let named = required.filter_map(|info| Some((info.name.clone(), value(info.value_type.as_ref())?)));
    named.collect()
}

/// Ones of the type; two elements for an unknown extent, one for a condition or a count.
fn value(of: Option<&ValueType>) -> Option<Value> {
    let (dtype, shape) = match of {
        None => (DType::Float, None),
        Some(ValueType::Tensor { dtype, shape }) => (*dtype, shape.as_ref()),
        Some(ValueType::Sequence(element)) => {
            return Some(Value::Sequence(Sequence {
                element: (**element).clone(),
                values: vec![value(Some(element))?],
            }));
        }
        Some(_) => return None,
    };
    let is_condition_or_count = dtype == DType::Bool || dtype == DType::Int64;
    let free = if is_condition_or_count { 1 } else { 2 };
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => *extent,
        Dim::Named(_) | Dim::Unknown => free,
    };
    let shape = shape.map_or_else(|| vec![free], |dims| dims.iter().map(extent).collect());
    ones(dtype, &shape).map(Value::Tensor)
}

fn ones(dtype: DType, shape: &[usize]) -> Option<Tensor> {
    let count = shape.iter().product();
    match dtype {
        DType::Float => Tensor::new(shape, vec![1_f32; count]),
        DType::Double => Tensor::new(shape, vec![1_f64; count]),
        DType::Int64 => Tensor::new(shape, vec![1_i64; count]),
        DType::Int32 => Tensor::new(shape, vec![1_i32; count]),
        DType::Bool => Tensor::new(shape, vec![true; count]),
        DType::String => Tensor::new(shape, vec![String::new(); count]),
        _ => return None,
    }
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model without values for its inputs would be refused for that reason.
    #[test]
    fn every_input_that_can_be_read_has_a_value() {
        for rejection in onnx_rejections::all() {
            let bytes = rejection.bytes.clone();
            let Ok(model) = Model::decode(bytes, &Source::named("m"), &Limits::default()) else {
                continue;
            };
            let required = model.graph.required_inputs().count();
            assert_eq!(inputs(&rejection.bytes).len(), required, "{}", rejection.name);
        }
    }
}
