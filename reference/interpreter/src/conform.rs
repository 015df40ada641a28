//! Holding the values of one call against the schema of its version: what the check of the model could not know before.

use onnx_checker::Problem;
use onnx_schema::OperatorSchema;
use onnx_tensor::{Value, ValueType};

/// The types of the inputs: each in its set, and one type for each type parameter.
pub(crate) fn types(schema: &'static OperatorSchema, inputs: &[Option<Value>]) -> Result<(), Problem> {
    let types: Vec<Option<ValueType>> = inputs
        .iter()
        .map(|value| value.as_ref().map(Value::value_type))
        .collect();
    let (_, problems) = onnx_checker::bind(schema, types.iter().map(Option::as_ref));
    problems.into_iter().next().map_or(Ok(()), Err)
}
