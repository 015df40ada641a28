//! The core of IsNaN and IsInf: a predicate on the exact value of each element.

use onnx_tensor::{DType, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, Real, dispatch};

use crate::frame::{Call, OpError, Outputs};
use crate::shared::elementwise::map;

/// Applies `question` to each element of input 0, a tensor of floats of 8 to 64 bits.
pub fn classify(call: &Call<'_>, question: impl Fn(f64) -> bool) -> Result<Outputs, OpError> {
    match call.dtype(0)? {
        DType::Float8E4M3Fn => map(call, |x: &F8E4M3Fn| question(x.to_f64())),
        DType::Float8E4M3Fnuz => map(call, |x: &F8E4M3Fnuz| question(x.to_f64())),
        DType::Float8E5M2 => map(call, |x: &F8E5M2| question(x.to_f64())),
        DType::Float8E5M2Fnuz => map(call, |x: &F8E5M2Fnuz| question(x.to_f64())),
        dtype => dispatch!(float, dtype, T => map(call, |x: &T| question(Real::to_f64(*x)))),
    }
}
