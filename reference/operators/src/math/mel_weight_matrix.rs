//! MelWeightMatrix — triangular filters that turn a one-sided spectrum into bands of equal width on the mel
//! scale.
//!
//! Precision: f64, the triangles as quotients of whole numbers, rounded once (truncated for integer types).
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

pub const OP: OpDef = op("MelWeightMatrix", &[v(17, First, mel_weights)]).structural(&[
    "num_mel_bins",
    "dft_length",
    "sample_rate",
    "lower_edge_hertz",
    "upper_edge_hertz",
]);

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
    let edges = edges(bands, low, high)
        .map(|edge| bin(edge * (length as f64 + 1.0) / rate as f64, shape[0]))
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

/// The edges of the filters in hertz. 700·(10^(m/2595) − 1) with m between mel(low) and mel(high) is
/// low + (700 + low)·(ratio^t − 1), which is exact at the lower edge.
fn edges(bands: usize, low: f64, high: f64) -> impl Iterator<Item = f64> {
    let edges = bands.saturating_add(2);
    let log_ratio = libm::log1p((high - low) / (700.0 + low));
    (0..edges).map(move |edge| low + (700.0 + low) * libm::expm1(log_ratio * edge as f64 / edges as f64))
}

fn bin(position: f64, bins: usize) -> Result<usize, OpError> {
    let bin = position.floor();
    if (0.0..bins as f64).contains(&bin) {
        return Ok(bin as usize);
    }
    Err(OpError::invalid(format!(
        "an edge is at bin {bin}, outside a spectrum of {bins} bins"
    )))
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
