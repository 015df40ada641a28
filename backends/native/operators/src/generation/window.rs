//! HannWindow, HammingWindow and BlackmanWindow, in f64 and rounded once.
//!
//! The function bodies compute in f32, where the peak of a BlackmanWindow is slightly less than 1, and 0 as
//! an integer.

use std::f64::consts::PI;

use onnx_tensor::DType;

use super::super::call::{count, extent, one};
use super::super::numbers::from_floats;
use super::super::{Call, Outcome, Row, row};
use crate::error::unsupported;
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("HannWindow", 17, First(|known| known.window()), |call| {
        window(call, |s| s)
    })
    .of_type(|known| known.named_dtype("output_datatype")),
    row("HammingWindow", 17, First(|known| known.window()), |call| {
        window(call, |s| (2.0 + 21.0 * s) / 23.0)
    })
    .of_type(|known| known.named_dtype("output_datatype")),
    row("BlackmanWindow", 17, First(|known| known.window()), |call| {
        window(call, |s| s * (0.36 + 0.64 * s))
    })
    .of_type(|known| known.named_dtype("output_datatype")),
];

/// Computes the window with the values `of` sin²(πn/N), where N is the size, or for a symmetric window the
/// size minus 1.
fn window(call: &Call, of: fn(f64) -> f64) -> Outcome {
    let size = extent(call.int(0)?)?;
    let dtype = call.attributes.dtype("output_datatype")?.unwrap_or(DType::Float);
    let total = match (call.attributes.flag("periodic")?, size) {
        (true, _) | (false, 0) => size,
        // The angle is 0/0.
        (false, 1) => return unsupported("a symmetric window of size 1 is not implemented"),
        (false, _) => size - 1,
    };
    let value = |at: usize| {
        // sin(πn/N) = sin(π(N − n)/N), and the smaller argument is more exact.
        let nearer = at.min(total - at);
        of((PI * nearer as f64 / total as f64).sin().powi(2))
    };
    let values = (0..count(&[size])?).map(value).collect();
    one(from_floats(dtype, &[size], values)?)
}
