//! Values that depend only on constants and shapes: random rounding does not change them.
//!
//! A scale of 1 that becomes 0.99999994 would turn an extent of 1 into 0, which no rounding of a backend
//! does.

use onnx_schema::OperatorSchema;

use crate::origin::Origin;

/// Whether the outputs of a node depend only on constants and shapes, like extents and scales that a graph
/// computes.
pub(crate) fn settled(schema: &OperatorSchema, operands: Origin) -> bool {
    let of_shapes = schema.domain.is_empty() && matches!(schema.name, "Shape" | "Size");
    of_shapes || operands == Origin::Settled
}
