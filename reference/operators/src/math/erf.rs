//! Erf — the error function, elementwise; evaluated in f64 and rounded once.
//!
//! Only version 9 allows integers, and it does not say how the result becomes one. Interpretation:
//! truncated toward zero, like Cast. No integer has an error function of magnitude 1, so the result is 0.

use onnx_arithmetic::functions::Function;
use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::{estimated, map};

pub const OP: OpDef = op("Erf", &[v(9, First, erf), v(13, TypesOnly, erf)]);

fn erf(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.dtype(0)?.is_float() {
        return estimated(call, Function::Erf, libm::erf, &[]);
    }
    dispatch!(int, call.dtype(0)?, T => map(call, |_: &T| <T as Real>::ZERO))
}
