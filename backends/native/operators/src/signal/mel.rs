//! MelWeightMatrix.
//!
//! The specification gives the scale. The bins of the edges are those of the official data, which
//! `onnx.reference` computes: `num_mel_bins + 2` edges divide the mel scale from the lower edge into as many
//! equal steps, and an edge of f hertz is the bin ⌊(dft_length + 1)·f / sample_rate⌋.

use onnx_tensor::DType;

use super::super::call::{count, extent, one};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use super::fourier::one_sided;
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::Open;
use crate::size::has_room;

pub const ROWS: &[Row] = &[row(
    "MelWeightMatrix",
    17,
    Open("the number of bands is a value; constants are folded", |_| None),
    weights,
)
.of_type(|known| known.named_dtype("output_datatype"))];

fn weights(call: &Call) -> Outcome {
    let dtype = call.attributes.dtype("output_datatype")?.unwrap_or(DType::Float);
    let (bands, length, rate) = (
        extent(call.int(0)?)?,
        extent(call.int(1)?)?,
        extent(call.int(2)?)?,
    );
    let (low, high) = (hertz(call, 3)?, hertz(call, 4)?);
    if rate == 0 || low > high {
        return invalid("expected a positive sample_rate, and an upper edge not below the lower one");
    }
    let bins = one_sided(length);
    has_room(count(&[bins, bands])?)?;
    let edges = edges((bands, length, rate), (low, high))?;
    let mut values = vec![0.0; bins * bands];
    for (band, edges) in edges.windows(3).enumerate() {
        let [from, peak, to] = [edges[0], edges[1], edges[2]];
        let rising = (from..peak).map(|bin| (bin, (bin - from) as f64 / (peak - from) as f64));
        let falling = (peak..to).map(|bin| (bin, (to - bin) as f64 / (to - peak) as f64));
        for (bin, weight) in rising.chain([(peak, 1.0)]).chain(falling) {
            values[bin * bands + band] = weight;
        }
    }
    one(from_floats(dtype, &[bins, bands], values)?)
}

/// Returns the bins of the edges.
fn edges(
    (bands, length, rate): (usize, usize, usize),
    (low, high): (f64, f64),
) -> Result<Vec<usize>, Problem> {
    let count = bands.saturating_add(2);
    has_room(count)?;
    // 700·(10^(m/2595) − 1) for m between the marks of both edges.
    let span = ((high - low) / (700.0 + low)).ln_1p();
    let bin = |edge: usize| {
        let hertz = low + (700.0 + low) * (span * edge as f64 / count as f64).exp_m1();
        let bin = (hertz * (length as f64 + 1.0) / rate as f64).floor();
        if bin < one_sided(length) as f64 {
            Ok(bin as usize)
        } else {
            invalid(format!("an edge of {hertz} Hz is outside of the spectrum"))
        }
    };
    (0..count).map(bin).collect()
}

fn hertz(call: &Call, position: usize) -> Result<f64, Problem> {
    match floats(call.tensor(position)?)?[..] {
        [value] if value.is_finite() && value >= 0.0 => Ok(value),
        _ => invalid(format!(
            "expected one finite number of at least 0 in input {position}"
        )),
    }
}
