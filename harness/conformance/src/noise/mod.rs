//! What rounding alone makes of a whole model, and how a backend stands beside it.
//!
//! Of one operator a bound says what rounding can do; through fifty layers such bounds grow beyond all use. So a model is
//! measured: the reference runs it several times with random rounding (Monte-Carlo arithmetic: D. Stott Parker, *Monte
//! Carlo Arithmetic*, 1997), and the spread of each element over these runs, around the reference's own answer, is its noise.
//! An element whose noise is σ and whose value is µ carries s = −log₁₀(σ/|µ|) digits, fewer by half the logarithm of N/χ²
//! where N runs are to say so with 95 % confidence (Sohier, de Oliveira Castro, Févotte, Lathuilière, Petit, Jamond,
//! *Confidence Intervals for Stochastic Arithmetic*, 2021). A backend's distance from the reference is then told in
//! multiples of the noise.
//!
//! Noise is no verdict: it decides nothing, and an output without it is judged as ever.
//!
//! - [`Spread`]: the runs of one output, added up. [`Floor`]: its noise.
//! - [`attach`]: holds a backend's outputs against the floors; `scores`, `overlap` and `fit` say what a person would notice:
//!   another class, another box, another mask, another scale.

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

/// The elements of a tensor of floats; none of any other.
pub fn floats(tensor: &Tensor) -> Option<Vec<f64>> {
    match tensor {
        Tensor::Float(array) => Some(array.iter().map(|x| x.to_f64()).collect()),
        Tensor::Double(array) => Some(array.iter().copied().collect()),
        Tensor::Float16(array) => Some(array.iter().map(|x| Real::to_f64(*x)).collect()),
        Tensor::Bfloat16(array) => Some(array.iter().map(|x| Real::to_f64(*x)).collect()),
        _ => None,
    }
}

/// The median; NaN of nothing. The order of `values` is lost.
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
