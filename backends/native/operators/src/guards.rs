//! Operators that the import replaces by other nodes. What those nodes do not check of the operator, a guard
//! before them does: a node that returns its first input.

use onnx_schema::OperatorSchema;

use super::attention::agree;
use super::rules::Arguments;
use super::shapes::SAME;
use super::{Call, Outcome, Row, row, row_of};
use crate::error::{Problem, invalid};

const GUARDS: [Row; 2] = [
    row("SwiGLU", 28, SAME, first).requires(same_shape),
    row_of("ai.onnx.preview", "FlexAttention", 1, SAME, first).requires(flex_attention),
];

/// Returns the guard of an operator version, if it has one.
pub fn guard(schema: &OperatorSchema) -> Option<&'static Row> {
    static ROWS: [Row; 2] = GUARDS;
    ROWS.iter()
        .find(|row| (row.domain, row.name) == (schema.domain, schema.name) && row.from <= schema.since)
}

fn first(call: &Call) -> Outcome {
    Ok(vec![call.value(0)?.clone()])
}

/// SwiGLU: "Inputs `A` and `B` must have identical shapes; broadcasting is not applied".
fn same_shape(node: &Arguments) -> Result<(), Problem> {
    match node.shape(0).zip(node.shape(1)) {
        Some((a, b)) if a != b => invalid(format!("A of shape {a:?} and B of shape {b:?} differ")),
        _ => Ok(()),
    }
}

fn flex_attention(node: &Arguments) -> Result<(), Problem> {
    for (position, name) in ["Q", "K", "V"].into_iter().enumerate() {
        if let Some(shape) = node.shape(position).filter(|shape| shape.len() != 4) {
            return invalid(format!("`{name}` has the shape {shape:?}, expected rank 4"));
        }
    }
    match (node.shape(0), node.shape(1), node.shape(2)) {
        (Some(q), Some(k), Some(v)) => agree(&q, &k, &v),
        _ => Ok(()),
    }
}
