//! BitwiseNot — inverts the bits of an integer, elementwise.

use onnx_tensor::dispatch;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::map;

pub const OP: OpDef = op("BitwiseNot", &[v(18, First, bitwise_not)]);

fn bitwise_not(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(int, call.dtype(0)?, T => map(call, |x: &T| !x))
}
