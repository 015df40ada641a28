//! What random rounding leaves alone: structural operands, and what follows from constants and shapes.
//!
//! A scale of 1 that becomes 0.99999994 turns an extent of 1 into 0, which no rounding of a backend does. An operand that
//! decides a shape, a count or which elements are read is declared beside its operator
//! ([`OpDef::structural`](onnx_operators::frame::OpDef)); extents and scales that a graph computes on the way there follow from
//! constants and shapes alone.

use onnx_model::Node;
use onnx_operators::frame::operator;
use onnx_schema::{AttributeKind, OperatorSchema};
use onnx_tensor::Value;

use crate::noise::Noise;
use crate::scope::Scope;

/// Whether the outputs of a node follow from constants and shapes alone, as extents and scales do that a graph computes.
/// What reads names beside its inputs, in a body, is not looked into.
pub(crate) fn settled(schema: &OperatorSchema, node: &Node, scope: &Scope<'_>) -> bool {
    let of_shapes = schema.domain.is_empty() && matches!(schema.name, "Shape" | "Size");
    let has_body = schema
        .attributes
        .iter()
        .any(|attribute| attribute.kind == AttributeKind::Graph);
    let constant = |name: &String| name.is_empty() || scope.is_settled(name);
    of_shapes || !has_body && node.inputs.iter().all(constant)
}

/// Whether an input of an operator is structural.
pub(crate) fn structural(schema: &'static OperatorSchema, index: usize) -> bool {
    let names = operator(schema.domain, schema.name).map_or(&[][..], |operator| operator.structural);
    let formal = schema.input(index);
    formal.is_some_and(|formal| names.contains(&formal.name))
}

/// Values with random rounding, if there is a source of it, but for those that are `kept`.
pub(crate) fn disturbed(
    noise: Option<&Noise>,
    values: Vec<Option<Value>>,
    kept: impl Fn(usize) -> bool,
) -> Vec<Option<Value>> {
    let Some(noise) = noise else { return values };
    let disturb = |(index, value): (usize, Option<Value>)| match kept(index) {
        true => value,
        false => value.map(|value| noise.disturb(value)),
    };
    values.into_iter().enumerate().map(disturb).collect()
}
