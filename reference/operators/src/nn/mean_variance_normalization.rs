//! MeanVarianceNormalization — (x − mean) / (standard deviation + 10⁻⁹) over the axes `axes`.
//!
//! Statistics in double-double, the rest in f64, rounded once. Version 13 only adds bf16.
//!
//! Interpretation: the text has no epsilon, but the function body that defines the operator adds 10⁻⁹ to
//! the deviation. The reference follows the body, so that a constant part is 0, not NaN (question
//! `mean-variance-epsilon`).

use ndarray::{ArrayD, IxDyn};

use super::moments::Moments;
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, one, op, v};
use crate::shared::axes;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op(
    "MeanVarianceNormalization",
    &[
        v(1, First, by_channels),
        v(9, Semantics, mean_variance_normalization),
        v(13, TypesOnly, mean_variance_normalization),
    ],
);

/// The value that the function body adds to the standard deviation.
const EPSILON: f64 = 1e-9;

/// Version 1, which ONNX Runtime adds to ONNX (deviation `runtime-operator`): over all axes but that of the
/// channels, or with `across_channels` over all axes.
fn by_channels(call: &Call<'_>) -> Result<Outputs, OpError> {
    let all = call.int("across_channels")? != 0;
    let axes = (0..call.tensor(0)?.rank()).filter(|&axis| all || axis != 1);
    normalised(call, axes.collect(), call.int("normalize_variance")? != 0)
}

fn mean_variance_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    let reduced = axes::axes(&call.ints("axes")?, call.tensor(0)?.rank())?;
    normalised(call, reduced, true)
}

fn normalised(call: &Call<'_>, reduced: Vec<usize>, variance: bool) -> Result<Outputs, OpError> {
    let epsilon = match call.takes(Reading::MeanVarianceEpsilonNone) {
        true => 0.0,
        false => EPSILON,
    };
    let mut x: ArrayD<f64> = widen(call.tensor(0)?)?;
    let kept = (0..x.ndim()).filter(|axis| !reduced.contains(axis));
    let order: Vec<usize> = kept.chain(reduced.iter().copied()).collect();
    let mut view = x.view_mut().permuted_axes(IxDyn(&order));
    let width: usize = view.shape().iter().rev().take(reduced.len()).product();
    let elements: Vec<f64> = view.iter().copied().collect();
    let normalised = elements.chunks(width.max(1)).flat_map(|part| {
        let moments = Moments::of(part.iter().copied());
        let deviation = if variance {
            moments.variance.sqrt() + epsilon
        } else {
            1.0
        };
        part.iter().map(move |x| (x - moments.mean) / deviation)
    });
    view.iter_mut()
        .zip(normalised)
        .for_each(|(x, normalised)| *x = normalised);
    one(narrow(x, call.dtype(0)?)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// By hand, of version 1: channels of 1 and 3, and of 4 and 4; without variance, and across the channels
    /// with a mean of 3.
    #[test]
    fn channels_of_version_1() {
        let x = || Tensor::new(&[1, 2, 2], vec![1.0_f32, 3.0, 4.0, 4.0]).expect("four elements");
        let y = |values: [f32; 4]| Tensor::new(&[1, 2, 2], values.to_vec()).expect("four elements");
        let set = |across: i64, variance: i64| {
            [
                attribute("across_channels", across),
                attribute("normalize_variance", variance),
            ]
        };
        let under = ("", "MeanVarianceNormalization", 1);
        exact(under, &[x()], &set(0, 1), &[y([-1.0, 1.0, 0.0, 0.0])]);
        exact(under, &[x()], &set(0, 0), &[y([-1.0, 1.0, 0.0, 0.0])]);
        exact(under, &[x()], &set(1, 0), &[y([-2.0, 0.0, 1.0, 1.0])]);
    }

    /// By hand: a constant part becomes 0; 1 and 3 are one deviation from their mean.
    #[test]
    fn constant_and_varying_parts() {
        let x = Tensor::new(&[2, 2], vec![5.0_f32, 5.0, 1.0, 3.0]).expect("four elements");
        let y = Tensor::new(&[2, 2], vec![0.0_f32, 0.0, -1.0, 1.0]).expect("four elements");
        for since in [9, 13] {
            let axes = [attribute("axes", [-1])];
            exact(
                ("", "MeanVarianceNormalization", since),
                std::slice::from_ref(&x),
                &axes,
                std::slice::from_ref(&y),
            );
        }
    }
}
