//! GreaterOrEqual — whether the first of two elements is greater than or equal to the second; exact, false
//! if either is NaN.

use onnx_tensor::dispatch;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::Multidirectional;
use crate::shared::elementwise::binary;

pub const OP: OpDef = op(
    "GreaterOrEqual",
    &[v(12, First, greater_or_equal), v(16, TypesOnly, greater_or_equal)],
);

fn greater_or_equal(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => binary(call, Multidirectional, |a: &T, b: &T| Ok(a >= b)))
}
