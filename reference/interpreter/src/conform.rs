//! Checks the values of one call against the schema of its version, where the check of the model could not
//! infer them.

use onnx_checker::Problem;
use onnx_schema::OperatorSchema;
use onnx_tensor::{Value, ValueType};

/// Checks that the type of each input is in its type set, and that each type parameter has one type.
pub(crate) fn types(schema: &'static OperatorSchema, inputs: &[Option<Value>]) -> Result<(), Problem> {
    let types: Vec<Option<ValueType>> = inputs
        .iter()
        .map(|value| value.as_ref().map(Value::value_type))
        .collect();
    let (_, problems) = onnx_checker::bind(schema, types.iter().map(Option::as_ref));
    problems.into_iter().next().map_or(Ok(()), Err)
}
