//! Softmax of scores, times values: softmax(S) · V of each head.
//!
//! In f64, as [`super::heads`] does it. Where the result is rounded to a narrower type, weights with a known
//! error decide most of its rows; the formula is evaluated for the others. A weight has a relative error
//! `e`, so that a sum of weighted values is off by at most `e` times the greatest magnitude of a value.

use ndarray::{Array4, ArrayView1, Axis, s};
use onnx_arithmetic::functions;
use onnx_tensor::{DType, Float, dispatch};

use super::heads;
use super::matrix_product::product_in_f64;
use crate::frame::{Call, OpError};

/// The weighted sums. Their last bits may be others than those of the formula, but they round to the same
/// numbers of `dtype`. A row for which `is_cleared` has no weights: all of them are 0.
pub fn weighted(
    call: &Call<'_>,
    scores: Array4<f64>,
    values: &Array4<f64>,
    dtype: DType,
    is_cleared: impl Fn((usize, usize, usize)) -> bool,
) -> Result<Array4<f64>, OpError> {
    let mut scores = scores.as_standard_layout().into_owned();
    if dtype == DType::Double {
        heads::softmax(&mut scores);
        for at in ndarray::indices((scores.dim().0, scores.dim().1, scores.dim().2)) {
            if is_cleared(at) {
                scores.slice_mut(s![at.0, at.1, at.2, ..]).fill(0.0);
            }
        }
        return heads::weighted(call, &scores, values, dtype);
    }
    let (weights, error) = estimated(&scores);
    let mut result = heads::weighted(call, &weights, values, dtype)?;
    // The products and their sum round as well.
    let error = error + (values.dim().2 + 4) as f64 * f64::EPSILON;
    let group = (scores.dim().1 / values.dim().1.max(1)).max(1);
    for (image, head) in ndarray::indices((scores.dim().0, scores.dim().1)) {
        let values = values.slice(s![image, head / group, .., ..]);
        let reach: Vec<f64> = values
            .columns()
            .into_iter()
            .map(|column| greatest(column) * error)
            .collect();
        for query in 0..scores.dim().2 {
            let mut row = result.slice_mut(s![image, head, query, ..]);
            let is_cleared = is_cleared((image, head, query));
            let mut decided = row
                .iter()
                .zip(&reach)
                .map(|(y, reach)| decides(*y, *reach, dtype));
            if !is_cleared && decided.all(|decided| decided) {
                continue;
            }
            let mut weights = scores
                .slice(s![image..=image, head..=head, query..=query, ..])
                .to_owned();
            heads::softmax(&mut weights);
            if is_cleared {
                weights.fill(0.0);
            }
            let sums = product_in_f64(&weights.slice(s![0, 0, .., ..]), &values, dtype)?;
            row.assign(&sums.row(0));
        }
    }
    Ok(result)
}

/// The weights of each row of scores that follow in memory, and their greatest relative error.
fn estimated(scores: &Array4<f64>) -> (Array4<f64>, f64) {
    let (mut weights, mut error) = (Array4::zeros(scores.raw_dim()), 0.0);
    for (row, mut weights) in scores.lanes(Axis(3)).into_iter().zip(weights.lanes_mut(Axis(3))) {
        if let (Some(row), Some(weights)) = (row.as_slice(), weights.as_slice_mut()) {
            error = functions::weights(row, weights);
        }
    }
    (weights, error)
}

/// The greatest magnitude of numbers; what is NaN among them makes the weighted sums NaN too.
fn greatest(numbers: ArrayView1<'_, f64>) -> f64 {
    numbers.fold(0.0, |most: f64, x| if x.abs() <= most { most } else { x.abs() })
}

/// Whether all numbers that are this near round to the same one.
fn decides(value: f64, reach: f64, dtype: DType) -> bool {
    fn same<T: Float>(low: f64, high: f64) -> bool {
        T::from_f64(low).same(&T::from_f64(high))
    }
    let (low, high) = (value - reach, value + reach);
    let decided: Result<bool, OpError> = dispatch!(float, dtype, T => Ok(same::<T>(low, high)));
    low.is_finite() && high.is_finite() && decided.unwrap_or(false)
}
