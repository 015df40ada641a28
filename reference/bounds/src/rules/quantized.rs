//! Quantized results: one step off only where the value before rounding lies within its own rounding errors of a tie.
//!
//! The value before rounding is a real number v in steps. A backend computes it with a relative error of a few u, so it may round to the
//! other side of a tie that is nearer than that. The rule asks the operator itself: it is run with its scale a little smaller and a
//! little larger; where the result changes, it may.

use ndarray::Zip;
use onnx_operators::frame::OpError;
use onnx_tensor::Array;

use super::{Entry, entry, pointwise};
use crate::precision;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    // (x − zero point) · scale: one product of exact factors.
    entry("DequantizeLinear", |query| pointwise::within_ulps(query, 1.0)),
    // x / scale, or x · (1 / scale): 2.5 ULP and 1 (*OpenCL C*, §7.4).
    entry("QuantizeLinear", |query| near_ties(query, 1, 7.0)),
    // Sums of integers are exact; the three scales are multiplied and divided, the product rounded.
    entry("QLinearConv", |query| near_ties(query, 6, 10.0)),
    entry("QLinearMatMul", |query| near_ties(query, 6, 10.0)),
];

/// Where the result changes when input `scale` moves by `share` units of roundoff of its own type, it may be off by that change.
fn near_ties(query: &Query<'_>, scale: usize, share: f64) -> Result<Vec<Radius>, OpError> {
    if !query.inputs_exact() {
        return super::exact::decides(query);
    }
    let unit = precision::unit(query.call.dtype(scale)?).unwrap_or(0.0);
    let moved = |factor: f64| {
        let outputs = query.again(|index, value| if index == scale { value * factor } else { value })?;
        let first: Option<Array<f64>> = outputs.into_iter().next().flatten();
        first.ok_or_else(|| OpError::invalid("the output is no tensor of numbers".to_owned()))
    };
    let (low, high) = (moved(1.0 - share * unit)?, moved(1.0 + share * unit)?);
    let radius = Zip::from(&low)
        .and(&high)
        .map_collect(|low, high| (high - low).abs());
    if radius.iter().all(|radius| *radius == 0.0) {
        return Ok(vec![Radius::Exact; query.outputs.len()]);
    }
    Ok(vec![Radius::within(
        radius,
        "one step where the value before rounding is near a tie",
    )])
}
