//! BitwiseAnd — conjunction of the bits of two integers, elementwise.

use onnx_tensor::dispatch;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::Multidirectional;
use crate::shared::elementwise::binary;

pub const OP: OpDef = op("BitwiseAnd", &[v(18, First, bitwise_and)]);

fn bitwise_and(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(int, call.dtype(0)?, T => binary(call, Multidirectional, |a: &T, b: &T| Ok(a & b)))
}
