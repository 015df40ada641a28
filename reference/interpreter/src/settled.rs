//! Values that depend only on constants and shapes: random rounding does not change them.
//!
//! A scale of 1 that becomes 0.99999994 would turn an extent of 1 into 0, which no rounding of a backend
//! does.

use onnx_model::Node;
use onnx_schema::{AttributeKind, OperatorSchema};

use crate::origin::Origin;
use crate::scope::Scope;

/// Whether the outputs of a node depend only on constants and shapes, like extents and scales that a graph
/// computes. A node with a body that reads outer names is not analysed.
pub(crate) fn settled(schema: &OperatorSchema, node: &Node, scope: &Scope<'_>) -> bool {
    let of_shapes = schema.domain.is_empty() && matches!(schema.name, "Shape" | "Size");
    let has_body = schema
        .attributes
        .iter()
        .any(|attribute| attribute.kind == AttributeKind::Graph);
    let constant = |name: &String| name.is_empty() || scope.origin(name) == Origin::Settled;
    of_shapes || !has_body && node.inputs.iter().all(constant)
}
