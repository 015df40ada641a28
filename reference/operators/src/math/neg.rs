//! Neg — negation, elementwise; exact. The least integer of a signed type wraps to itself.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::map;

pub const OP: OpDef = op(
    "Neg",
    &[v(1, First, neg), v(6, TypesOnly, neg), v(13, TypesOnly, neg)],
);

fn neg(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(signed, call.dtype(0)?, T => map(call, |x: &T| Real::neg(*x)))
}
