//! MelWeightMatrix — triangular filters that turn a one-sided spectrum into bands of equal width on the mel
//! scale.
//!
//! Precision: the bins of the edges are decided without rounding, the triangles are quotients of whole
//! numbers in f64, rounded once (truncated for integer types).
//!
//! Interpretation: the text gives only the mel scale. The mapping from edges to spectrum bins follows
//! ONNX's reference implementation, which made the official cases: `num_mel_bins + 2` edges at distances of
//! `(mel(upper) − mel(lower)) / (num_mel_bins + 2)` from the lower one, so that the highest is below
//! `upper_edge_hertz`; edge f is bin `floor((dft_length + 1)·f / sample_rate)`; a filter whose rising side
//! is empty starts at its peak. An edge outside the spectrum is an error.

use ndarray::Array2;
use onnx_tensor::{DType, Real, Tensor, dispatch};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::reals;
use crate::shared::wide::Wide;

pub const OP: OpDef = op("MelWeightMatrix", &[v(17, First, mel_weights)]);

fn mel_weights(call: &Call<'_>) -> Result<Outputs, OpError> {
    let dtype = call
        .optional_dtype_attribute("output_datatype")?
        .unwrap_or(DType::Float);
    let dtype = call.output_dtype(0, dtype)?;
    let (bands, length, rate) = (count(call, 0)?, count(call, 1)?, count(call, 2)?);
    let (low, high) = (hertz(call, 3)?, hertz(call, 4)?);
    if rate == 0 || low > high {
        return Err(OpError::invalid(
            "`sample_rate` must be positive, and the upper edge must be above the lower edge",
        ));
    }
    let shape = [length / 2 + 1, bands];
    call.reserve(&shape, DType::Double)?;
    let bins = Bins {
        low,
        high,
        per_hertz: (length as f64 + 1.0, rate as f64),
        edges: bands.saturating_add(2),
        count: shape[0],
    };
    let mut wide = Wide::new()?;
    let edges = (0..bins.edges)
        .map(|edge| bins.of(edge, &mut wide))
        .collect::<Result<Vec<_>, _>>()?;
    let weights = triangles(&edges, shape);
    dispatch!(real, dtype, T => one(Tensor::from(weights.mapv(<T as Real>::from_f64).into_dyn())))
}

fn count(call: &Call<'_>, index: usize) -> Result<usize, OpError> {
    let name = call.schema().input(index).map_or("", |formal| formal.name);
    match call.integers(index)?.as_slice() {
        &[value] => usize::try_from(value).map_err(|_| OpError::invalid(format!("`{name}` is {value}"))),
        other => Err(OpError::invalid(format!(
            "`{name}` must be one number, got {other:?}"
        ))),
    }
}

fn hertz(call: &Call<'_>, index: usize) -> Result<f64, OpError> {
    let name = call.schema().input(index).map_or("", |formal| formal.name);
    let values = reals::widen(call.tensor(index)?)?;
    match values.first() {
        Some(&value) if values.len() == 1 && value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err(OpError::invalid(format!(
            "`{name}` must be one finite number of at least 0"
        ))),
    }
}

/// The bins of a spectrum, and the edges of the filters between two frequencies in hertz.
struct Bins {
    low: f64,
    high: f64,
    /// Bins for each hertz, as a quotient.
    per_hertz: (f64, f64),
    edges: usize,
    count: usize,
}

impl Bins {
    /// The bin of an edge. 700·(10^(m/2595) − 1) with m between mel(low) and mel(high) is
    /// low + (700 + low)·(ratio^t − 1), where ratio = (700 + high) / (700 + low).
    fn of(&self, edge: usize, wide: &mut Wide) -> Result<usize, OpError> {
        let (low, (up, down)) = (self.low, self.per_hertz);
        let share = edge as f64 / self.edges as f64;
        let log_ratio = libm::log1p((self.high - low) / (700.0 + low));
        let hertz = low + (700.0 + low) * libm::expm1(log_ratio * share);
        let exact = |wide: &mut Wide| {
            let above = Wide::add(&Wide::number(700.0), &Wide::number(low));
            let highest = Wide::add(&Wide::number(700.0), &Wide::number(self.high));
            let share = Wide::div(&Wide::number(edge as f64), &Wide::number(self.edges as f64));
            let power = match edge {
                0 => Wide::number(1.0),
                _ => wide.pow(&Wide::div(&highest, &above), &share),
            };
            let hertz = Wide::sub(&Wide::mul(&above, &power), &Wide::number(700.0));
            let position = Wide::div(&Wide::mul(&hertz, &Wide::number(up)), &Wide::number(down));
            // A position is algebraic: within 2^-200 of an integer it is that integer.
            Wide::add(&position, &Wide::number(2_f64.powi(-200)))
        };
        let bin = wide.floor(hertz * up / down, exact);
        let index = bin.and_then(|bin| usize::try_from(bin).ok());
        index.filter(|&bin| bin < self.count).ok_or_else(|| {
            OpError::invalid(format!(
                "an edge is at bin {}, outside a spectrum of {} bins",
                (hertz * up / down).floor(),
                self.count
            ))
        })
    }
}

/// The filter of each column rises from edge `i` to edge `i + 1` and falls to edge `i + 2`.
fn triangles(edges: &[usize], shape: [usize; 2]) -> Array2<f64> {
    let mut weights = Array2::zeros(shape);
    for (band, filter) in edges.windows(3).enumerate() {
        let &[low, center, high] = filter else { continue };
        for bin in low..center {
            weights[[bin, band]] = (bin - low) as f64 / (center - low) as f64;
        }
        weights[[center, band]] = 1.0;
        for bin in center..high {
            weights[[bin, band]] = (high - bin) as f64 / (high - center) as f64;
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, rows};

    /// The third of four edges is at 700·(√4 − 1) = 700 Hz, exactly bin 700 · 8 / 5600 = 1.
    #[test]
    fn an_edge_at_the_border_of_a_bin() {
        let [bands, length, rate] = [2_i64, 7, 5600].map(Tensor::scalar);
        let [low, high] = [0_f32, 2100.0].map(Tensor::scalar);
        let inputs = [bands, length, rate, low, high];
        let expected = rows(&[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]);
        exact(("", "MelWeightMatrix", 17), &inputs, &[], &[expected]);
    }
}
