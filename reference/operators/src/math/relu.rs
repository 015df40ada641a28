//! Relu — max(0, x), elementwise; exact. NaN stays NaN.

use onnx_tensor::{DType, Real, dispatch};

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::{clip_floats, map};

pub const OP: OpDef = op(
    "Relu",
    &[
        v(1, First, relu),
        v(6, Wording, relu),
        v(13, TypesOnly, relu),
        v(14, TypesOnly, relu),
    ],
);

fn relu(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.dtype(0)? == DType::Float {
        return clip_floats(call, 0.0, f32::INFINITY);
    }
    dispatch!(signed, call.dtype(0)?, T => map(call, |x: &T| Real::max(T::ZERO, *x)))
}
