//! MelWeightMatrix: triangles between bins of a spectrum; a weight is a quotient of integers.
//!
//! The bins are floors of positions that are computed on the mel scale, with logarithm and power: 32u of
//! the position and of the 700 Hz that are added and subtracted. If a position is closer to an integer than
//! that, its bin may be the adjacent one.

use onnx_operators::frame::OpError;

use super::{Entry, entry, pointwise};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("MelWeightMatrix", mel_weights)];

/// Backends compute the edges in float, for every output type.
const UNIT: f64 = 1.0 / 16_777_216.0;

fn mel_weights(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if !query.inputs_exact() {
        return super::exact::decides(query);
    }
    let one = |index: usize| {
        query
            .input(index)
            .and_then(|input| input.first().copied())
            .unwrap_or(0.0)
    };
    let (bands, length, rate, low, high) = (one(0), one(1), one(2), one(3), one(4));
    let bins = (length + 1.0) / rate;
    let edges = bands + 2.0;
    let log_ratio = ((high - low) / (700.0 + low)).ln_1p();
    let near_whole = |edge: i64| {
        let position = (low + (700.0 + low) * (log_ratio * edge as f64 / edges).exp_m1()) * bins;
        (position - position.round()).abs() <= 32.0 * UNIT * (position + 1400.0 * bins)
    };
    // The lowest edge is an input: if it is 0, rounding does not change it.
    let first = if low == 0.0 { 1 } else { 0 };
    if (first..edges as i64).any(near_whole) {
        let reason = "an edge of a filter is within rounding of a bin border of the spectrum";
        return Ok(vec![Radius::unknown(reason); query.outputs.len()]);
    }
    pointwise::within_ulps(query, 3.0)
}
