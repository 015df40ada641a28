//! Values that random rounding does not change: structural operands, and values that depend only on
//! constants and shapes.
//!
//! A scale of 1 that becomes 0.99999994 would turn an extent of 1 into 0, which no rounding of a backend
//! does. The definition of an operator declares the operands that decide a shape, a count or which elements
//! are read ([`OpDef::structural`](onnx_operators::frame::OpDef)). Extents and scales that a graph computes
//! for such an operand depend only on constants and shapes.

use onnx_model::Node;
use onnx_operators::frame::operator;
use onnx_schema::{AttributeKind, OperatorSchema};
use onnx_tensor::Value;

use crate::noise::Noise;
use crate::scope::Scope;

/// Whether the outputs of a node depend only on constants and shapes, like extents and scales that a graph
/// computes. A node with a body that reads outer names is not analysed.
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

/// Values with random rounding, if the run has a source of it, except those that are `kept`.
pub(crate) fn perturbed(
    noise: Option<&Noise>,
    values: Vec<Option<Value>>,
    kept: impl Fn(usize) -> bool,
) -> Vec<Option<Value>> {
    let Some(noise) = noise else { return values };
    let perturb = |(index, value): (usize, Option<Value>)| match kept(index) {
        true => value,
        false => value.map(|value| noise.perturb(value)),
    };
    values.into_iter().enumerate().map(perturb).collect()
}
