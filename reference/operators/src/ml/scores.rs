//! The outputs of predictors: scores in f32 and the class with the greatest score.

use onnx_tensor::Tensor;

use crate::frame::OpError;

/// A float tensor of shape `[rows, width]`. The scores are rounded once from f64.
pub fn tensor(rows: usize, width: usize, scores: &[f64]) -> Result<Tensor, OpError> {
    Ok(Tensor::new(
        &[rows, width],
        scores.iter().map(|&score| score as f32).collect(),
    )?)
}

/// The position of the greatest score, the first of equals. A NaN is never greater.
pub fn top(scores: &[f64]) -> usize {
    let mut best = 0;
    for (index, &score) in scores.iter().enumerate() {
        if scores
            .get(best)
            .is_some_and(|&held| score > held || held.is_nan() && !score.is_nan())
        {
            best = index;
        }
    }
    best
}
