//! Abs — magnitude, elementwise; exact. The least integer of a signed type wraps to itself.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::map;

pub const OP: OpDef = op(
    "Abs",
    &[v(1, First, abs), v(6, TypesOnly, abs), v(13, TypesOnly, abs)],
);

fn abs(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => map(call, |x: &T| Real::abs(*x)))
}
