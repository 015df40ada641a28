//! What predictors give back: scores in f32, and the class that they elect.

use onnx_tensor::Tensor;

use crate::frame::OpError;

/// A float tensor of shape `[rows, width]`; the scores, in f64, are rounded once.
pub fn tensor(rows: usize, width: usize, scores: &[f64]) -> Result<Tensor, OpError> {
    Ok(Tensor::new(
        &[rows, width],
        scores.iter().map(|&score| score as f32).collect(),
    )?)
}

/// The position of the greatest score, the first of equals; a NaN is never greater.
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
