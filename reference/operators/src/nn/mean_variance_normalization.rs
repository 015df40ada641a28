//! MeanVarianceNormalization — (x − mean) / (standard deviation + 10⁻⁹) over the axes `axes`.
//!
//! Statistics in double-double, the rest in f64, rounded once. Version 13 only adds bf16.
//!
//! Interpretation: the text has no epsilon, but the function body that defines the operator adds 10⁻⁹ to
//! the deviation. The reference follows the body, so that a constant part is 0, not NaN (question
//! `mean-variance-epsilon`).

use ndarray::{ArrayD, IxDyn};

use super::moments::Moments;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, one, op, v};
use crate::shared::axes;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op(
    "MeanVarianceNormalization",
    &[
        v(9, First, mean_variance_normalization),
        v(13, TypesOnly, mean_variance_normalization),
    ],
);

/// The value that the function body adds to the standard deviation.
const EPSILON: f64 = 1e-9;

fn mean_variance_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    let epsilon = if call.takes(Reading::MeanVarianceEpsilonNone) {
        0.0
    } else {
        EPSILON
    };
    let mut x: ArrayD<f64> = widen(call.tensor(0)?)?;
    let reduced = axes::axes(&call.ints("axes")?, x.ndim())?;
    let kept = (0..x.ndim()).filter(|axis| !reduced.contains(axis));
    let order: Vec<usize> = kept.chain(reduced.iter().copied()).collect();
    let mut view = x.view_mut().permuted_axes(IxDyn(&order));
    let width: usize = view.shape().iter().rev().take(reduced.len()).product();
    let elements: Vec<f64> = view.iter().copied().collect();
    let normalised = elements.chunks(width.max(1)).flat_map(|part| {
        let moments = Moments::of(part.iter().copied());
        let deviation = moments.variance.sqrt() + epsilon;
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
