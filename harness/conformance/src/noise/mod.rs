//! The effect of rounding on a complete model, and the comparison of a backend with it.
//!
//! For one operator there is a bound of the rounding error; through fifty layers such bounds become too
//! large to be useful. So a model is measured: the reference runs it several times with random rounding
//! (Monte-Carlo arithmetic: D. Stott Parker, *Monte Carlo Arithmetic*, 1997), and the spread of each
//! element over these runs, around the exact output of the reference, is its noise. An element with
//! noise σ and value µ has s = −log₁₀(σ/|µ|) significant digits, reduced by half the logarithm of N/χ²
//! to have 95 % confidence with N runs (Sohier, de Oliveira Castro, Févotte, Lathuilière, Petit, Jamond,
//! *Confidence Intervals for Stochastic Arithmetic*, 2021). A backend's distance from the reference is
//! then a multiple of the noise.
//!
//! Noise does not decide verdicts: an output is judged in the same way with and without it.
//!
//! - [`Spread`]: the accumulated runs of one output. [`Floor`]: its noise.
//! - [`attach`]: compares a backend's outputs with the floors; `scores`, `overlap` and `fit` measure
//!   differences at the level of the task: another class, another box, another mask, another scale.

mod attach;
mod fit;
mod floor;
mod overlap;
mod scores;
mod spread;

use std::collections::BTreeMap;

use onnx_tensor::{Real, Tensor};

pub use attach::attach;
pub use floor::{Floor, Floors};
pub use spread::Spread;

/// The spread of each output of one data set.
pub type SetSpreads = BTreeMap<String, Spread>;

/// The elements of a tensor of floats; `None` for other types.
pub fn floats(tensor: &Tensor) -> Option<Vec<f64>> {
    match tensor {
        Tensor::Float(array) => Some(array.iter().map(|x| x.to_f64()).collect()),
        Tensor::Double(array) => Some(array.iter().copied().collect()),
        Tensor::Float16(array) => Some(array.iter().map(|x| Real::to_f64(*x)).collect()),
        Tensor::Bfloat16(array) => Some(array.iter().map(|x| Real::to_f64(*x)).collect()),
        _ => None,
    }
}

/// The median; NaN for an empty slice. Reorders `values`.
pub fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() {
        return f64::NAN;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    match below.iter().copied().reduce(f64::max) {
        Some(lower) if values.len().is_multiple_of(2) => lower + (upper - lower) / 2.0,
        _ => upper,
    }
}
