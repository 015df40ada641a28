//! The outputs of predictors: scores, and the class with the greatest one.

use onnx_tensor::Tensor;

use super::features::Features;
use crate::error::Problem;

/// Returns scores of this width for each row, rounded once.
pub fn tensor(features: &Features, width: usize, scores: &[f64]) -> Result<Tensor, Problem> {
    let rounded = scores.iter().map(|&score| score as f32).collect();
    Ok(Tensor::new(&[features.rows, width], rounded)?)
}

/// Returns the position of the greatest score, the first of equals. NaN is less than every other score.
pub fn top(scores: &[f64]) -> usize {
    let mut best = 0;
    for (at, &score) in scores.iter().enumerate() {
        let held = scores[best];
        if score > held || (held.is_nan() && !score.is_nan()) {
            best = at;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::top;

    #[test]
    fn the_top_is_the_first_greatest_number() {
        for (scores, expected) in [
            (&[1.0, 3.0, 3.0][..], 1),
            (&[f64::NAN, -1.0, f64::NAN], 1),
            (&[f64::NAN, f64::NAN], 0),
            (&[0.0, -0.0], 0),
        ] {
            assert_eq!(top(scores), expected, "{scores:?}");
        }
    }
}
