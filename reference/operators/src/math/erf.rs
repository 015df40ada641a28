//! Erf — the error function, elementwise; evaluated in f64 and rounded once.
//!
//! Only version 9 allows integers, and it does not say how the result becomes one. Interpretation:
//! truncated toward zero from the value in f64, like Cast. That is 0, or ±1 from ±6 on.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::map;

pub const OP: OpDef = op("Erf", &[v(9, First, erf), v(13, TypesOnly, erf)]);

fn erf(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => map(call, |x: &T| <T as Real>::from_f64(libm::erf(x.to_f64()))))
}
