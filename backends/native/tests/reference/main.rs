//! Native beside the reference, on models that were made to tell the two apart: patterns of every pass with
//! one thing changed, inputs with zeros of both signs, images of integers, models that are invalid, and
//! generated cases of the operators that ONNX Runtime adds.
//!
//! The tests link the reference; the backend does not.

mod contrib;
mod images;
mod near;
mod refusals;
mod text;
mod zeros;

use std::sync::Arc;

use backend_api::{Backend, BackendError, LoadRequest, Named, Switch};
use backend_native::{Native, Settings};
use onnx_interpreter::{InterpretError, Limits, NodeProblem, Program};
use onnx_model::Model;
use onnx_operators::frame::OpError;
use onnx_tensor::{DType, Real, Tensor, Value, dispatch};

/// Loads and runs a model on native.
fn native(settings: Settings, model: &Model, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
    let request = LoadRequest {
        model: model.encode().into(),
        ..LoadRequest::default()
    };
    Native::new(settings).load(request)?.run(inputs)
}

/// Settings that run no pass.
fn untouched() -> Settings {
    Settings {
        optimize: Switch::Off,
        ..Settings::default()
    }
}

/// Whether the reference refuses a model, or its inputs, as a violation of the specification.
fn is_invalid(error: &InterpretError) -> bool {
    match error {
        InterpretError::Invalid(_) => true,
        InterpretError::Node { problem, .. } => match &**problem {
            NodeProblem::Violation(_) => true,
            NodeProblem::Operator(error) => matches!(
                error,
                OpError::Invalid(_)
                    | OpError::MissingInput { .. }
                    | OpError::Attribute { .. }
                    | OpError::Kind { .. }
                    | OpError::Tensor(_)
            ),
            NodeProblem::Function { source, .. } => is_invalid(source),
            _ => false,
        },
        _ => false,
    }
}

/// Loads and runs a model on the reference.
fn reference(model: &Model, inputs: &[Named]) -> Result<Vec<Named>, InterpretError> {
    Program::load(model.clone())?.run(inputs, Limits::default())
}

/// The elements of a tensor of integers or floats in f64.
fn numbers(tensor: &Tensor) -> Option<Vec<f64>> {
    let read = || dispatch!(real, tensor.dtype(), T => Ok::<_, onnx_tensor::TensorError>(tensor.array::<T>()?.iter().map(|x| Real::to_f64(*x)).collect()));
    read().ok()
}

/// A tensor of these numbers.
fn tensor(dtype: DType, shape: &[usize], numbers: &[f64]) -> Tensor {
    let made = dispatch!(real, dtype, T => {
        Tensor::new::<T>(shape, numbers.iter().map(|x| Real::from_f64(*x)).collect())
    });
    made.expect("as many numbers as the shape has")
}

/// Replaces each tensor of numbers among the inputs and the initializers.
fn replace_tensors(
    model: &mut Model,
    inputs: &mut [Named],
    change: impl Fn(&str, &Tensor) -> Option<Tensor>,
) {
    let initializers = &mut Arc::make_mut(&mut model.graph).initializers;
    for (name, value) in inputs.iter_mut().chain(initializers) {
        if let Value::Tensor(tensor) = value
            && let Some(other) = change(name, tensor)
        {
            *tensor = other;
        }
    }
}
