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
//! A policy decides the verdict of a case. Of a person's own model, the [`Evidence`] decides: which class of
//! honest arithmetic explains an answer, if any ([`judge`]).
//!
//! - [`Spread`]: the accumulated runs of one output. [`Floor`]: its noise. [`Evidence`]: what all runs say.
//! - [`attach`]: compares a backend's outputs with the floors; `scores`, `overlap` and `fit` measure
//!   differences at the level of the task: another class, another box, another mask, another scale.

mod attach;
mod evidence;
mod fit;
mod floor;
mod judge;
mod lattice;
mod measure;
mod overlap;
mod quantiles;
mod rows;
mod scores;
mod settle;
mod shapes;
mod spread;
mod texts;

use std::collections::BTreeMap;

use onnx_tensor::{Real, Tensor, TensorError, dispatch};

pub use attach::attach;
pub use evidence::{DRAWS, Evidence, FEW, MORE, Noisy, RUNS, Runs, Unspecified, few, undetermined};
pub use floor::Floor;
pub use judge::{effect, judge, may_be_unseen};
pub use settle::{reason, settle, standing};
pub use spread::Spread;

/// The spread of each output of one data set.
pub type SetSpreads = BTreeMap<String, Spread>;

/// The elements of a tensor of floats, of integers of 8 to 64 bits or of booleans; `None` for other types.
pub fn numbers(tensor: &Tensor) -> Option<Vec<f64>> {
    if let Tensor::Bool(array) = tensor {
        return Some(array.iter().map(|flag| f64::from(u8::from(*flag))).collect());
    }
    let numbers = || -> Result<Vec<f64>, TensorError> {
        dispatch!(real, tensor.dtype(), T => {
            Ok(tensor.array::<T>()?.iter().map(|value| Real::to_f64(*value)).collect())
        })
    };
    numbers().ok()
}

/// The elements of a tensor of integers of 64 bits if one of them is no double; `None` otherwise.
pub fn integers(tensor: &Tensor) -> Option<Vec<i128>> {
    let values: Vec<i128> = match tensor {
        Tensor::Int64(array) => array.iter().map(|value| i128::from(*value)).collect(),
        Tensor::Uint64(array) => array.iter().map(|value| i128::from(*value)).collect(),
        _ => return None,
    };
    let is_beyond = |value: &i128| value.unsigned_abs() > 1 << f64::MANTISSA_DIGITS;
    values.iter().any(is_beyond).then_some(values)
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
