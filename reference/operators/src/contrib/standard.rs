//! Operators of ONNX as parts of contrib operators.

use onnx_model::{Attribute, AttributeValue};
use onnx_schema::{AttributeSchema, OperatorSchema};
use onnx_tensor::{Tensor, Value};

use crate::frame::{Call, OpError, Outputs, version};

/// A version of an operator of ONNX.
pub type Standard = (&'static str, u32);

/// The outputs of `operator` for these inputs and attributes, all of them if `wanted` is the number that it
/// has.
pub fn evaluate(
    call: &Call<'_>,
    (name, since): Standard,
    inputs: &[Option<Value>],
    attributes: &[Attribute],
    wanted: usize,
) -> Result<Outputs, OpError> {
    let schemas = onnx_schema::versions("", name);
    let schema = schemas.iter().find(|schema| schema.since == since);
    let (Some(schema), Some(row)) = (schema, version("", name, since)) else {
        return Err(OpError::undefined(format!("{name}-{since}")));
    };
    (row.eval)(&call.with_node(schema, inputs, attributes, &vec![true; wanted]))
}

/// The only output of `operator`, a tensor.
pub fn tensor(
    call: &Call<'_>,
    operator: Standard,
    inputs: &[Option<&Tensor>],
    attributes: &[Attribute],
) -> Result<Tensor, OpError> {
    let inputs: Vec<_> = inputs
        .iter()
        .map(|input| input.map(|tensor| Value::from(tensor.clone())))
        .collect();
    match evaluate(call, operator, &inputs, attributes, 1)?
        .into_iter()
        .next()
    {
        Some(Some(Value::Tensor(tensor))) => Ok(tensor),
        _ => Err(OpError::undefined(format!("{} without an output", operator.0))),
    }
}

fn schema_of((name, since): Standard) -> Option<&'static OperatorSchema> {
    onnx_schema::versions("", name)
        .iter()
        .find(|schema| schema.since == since)
}

/// The attributes of this operator that `operator` does not have.
pub fn attributes_beyond(
    call: &Call<'_>,
    operator: Standard,
) -> impl Iterator<Item = &'static AttributeSchema> {
    let beyond = schema_of(operator).map(|schema| call.schema().attributes_beyond(schema));
    beyond.into_iter().flatten()
}

/// The attributes that the node sets and that `operator` has too.
pub fn shared_attributes(call: &Call<'_>, operator: Standard) -> Vec<Attribute> {
    let schema = schema_of(operator);
    let known =
        |attribute: &&Attribute| schema.is_some_and(|schema| schema.attribute(&attribute.name).is_some());
    call.given_attributes().iter().filter(known).cloned().collect()
}

pub fn attribute(name: &str, value: AttributeValue) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value,
    }
}
