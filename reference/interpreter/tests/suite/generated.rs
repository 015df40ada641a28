//! The generated cases of every operator, and their values.

use onnx_generator::{Phase, Plan};
use onnx_interpreter::implemented;
use onnx_schema::OperatorSchema;
use onnx_tensor::{Tensor, Value, dispatch};

/// The plan of each operator version, with so many cases for pairs of choices.
pub fn plans(pairs: usize) -> impl Iterator<Item = (&'static OperatorSchema, Plan)> {
    implemented().filter_map(move |schema| {
        let mut plan = onnx_generator::plan(schema, 0).ok()?;
        plan.extend(Phase::Pair, pairs);
        Some((schema, plan))
    })
}

/// The elements in row-major order; empty for values that are no numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    let numbers = |tensor: &Tensor| {
        dispatch!(real, tensor.dtype(), T => {
            tensor.array::<T>().map(|array| array.iter().map(|x| onnx_tensor::Real::to_f64(*x)).collect())
        })
    };
    value
        .as_tensor()
        .and_then(|tensor| numbers(tensor).ok())
        .unwrap_or_default()
}
