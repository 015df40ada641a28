//! `post_transform`, the last step of every predictor of `ai.onnx.ml`.
//!
//! Interpretation: the specification names the five transforms without formulas. LOGISTIC and PROBIT (the
//! inverse of the cumulative normal distribution, NaN outside [0, 1]) apply to each score, SOFTMAX to the
//! scores of a row. SOFTMAX_ZERO is a softmax over the non-zero scores of a row; a score of magnitude up to
//! 1e-7 counts as zero and becomes x·exp(−max)/sum (the formula of ONNX Runtime). A row of zeros is
//! unchanged (ONNX Runtime: 0/0). If a regressor has one target, ONNX Runtime applies only PROBIT; the
//! specification makes no such exception.
//!
//! Evaluated in f64; the inverse error function of `statrs` is accurate to about 1e-15.

use statrs::function::erf::erfc_inv;

use crate::frame::{Call, OpError, Reading};

/// Scores up to this magnitude count as zero for SOFTMAX_ZERO.
const ZERO: f64 = 1e-7;

/// A transform of the scores of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PostTransform {
    /// Nothing.
    None,
    /// exp(x) / Σ exp(x).
    Softmax,
    /// 1 / (1 + exp(−x)).
    Logistic,
    /// Softmax over the non-zero scores.
    SoftmaxZero,
    /// Φ⁻¹(x).
    Probit,
}

impl PostTransform {
    /// Reads the attribute `post_transform`, a name.
    pub fn read(call: &Call<'_>) -> Result<PostTransform, OpError> {
        match call.string("post_transform")? {
            "NONE" => Ok(PostTransform::None),
            "SOFTMAX" => Ok(PostTransform::Softmax),
            "LOGISTIC" => Ok(PostTransform::Logistic),
            "SOFTMAX_ZERO" => Ok(PostTransform::SoftmaxZero),
            "PROBIT" => Ok(PostTransform::Probit),
            other => Err(unknown(other)),
        }
    }

    /// Reads the attribute `post_transform`, a number (TreeEnsemble).
    pub fn read_code(call: &Call<'_>) -> Result<PostTransform, OpError> {
        match call.int("post_transform")? {
            0 => Ok(PostTransform::None),
            1 => Ok(PostTransform::Softmax),
            2 => Ok(PostTransform::Logistic),
            3 => Ok(PostTransform::SoftmaxZero),
            4 => Ok(PostTransform::Probit),
            other => Err(unknown(other)),
        }
    }

    /// Transforms the scores of one row.
    pub fn apply(self, row: &mut [f64]) {
        match self {
            PostTransform::None => {}
            PostTransform::Softmax => softmax(row, |_| true),
            PostTransform::SoftmaxZero if row.iter().all(|&score| score == 0.0) => {}
            PostTransform::SoftmaxZero => softmax(row, |score| score.abs() > ZERO),
            PostTransform::Logistic => row.iter_mut().for_each(|score| *score = logistic(*score)),
            PostTransform::Probit => row.iter_mut().for_each(|score| *score = probit(*score)),
        }
    }

    /// Transforms the scores of a regressor with `targets` targets (question `post-transform-one`).
    pub fn apply_targets(self, call: &Call<'_>, scores: &mut [f64], targets: usize) {
        let left_out = targets == 1 && self != PostTransform::Probit;
        if !(left_out && call.takes(Reading::PostTransformNotOne)) {
            self.apply_rows(scores, targets);
        }
    }

    /// Transforms the scores of every row of `width` scores.
    pub fn apply_rows(self, scores: &mut [f64], width: usize) {
        scores
            .chunks_exact_mut(width.max(1))
            .for_each(|row| self.apply(row));
    }
}

fn unknown(value: impl std::fmt::Display) -> OpError {
    OpError::invalid(format!(
        "attribute `post_transform` is {value}, which is not a known transform"
    ))
}

/// Softmax over the scores for which `counts` holds. The other scores are scaled by the same factor,
/// without the exponential.
fn softmax(row: &mut [f64], counts: impl Fn(f64) -> bool) {
    let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in row.iter_mut() {
        if counts(*score) {
            *score = libm::exp(*score - max);
            sum += *score;
        } else {
            *score *= libm::exp(-max);
        }
    }
    row.iter_mut().for_each(|score| *score /= sum);
}

/// 1 / (1 + exp(−x)).
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

fn probit(p: f64) -> f64 {
    match p {
        0.0 => f64::NEG_INFINITY,
        1.0 => f64::INFINITY,
        // The general case is the negative of a positive zero.
        0.5 => 0.0,
        _ if p > 0.0 && p < 1.0 => -std::f64::consts::SQRT_2 * erfc_inv(2.0 * p),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::PostTransform::{self, Logistic, Probit, Softmax, SoftmaxZero};

    #[track_caller]
    fn check(transform: PostTransform, row: &[f64], expected: &[f64]) {
        let mut have = row.to_vec();
        transform.apply(&mut have);
        let near = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-12 * b.abs();
        let same = have.iter().zip(expected).all(|(&a, &b)| near(a, b));
        assert!(
            same,
            "{transform:?} of {row:?} is {have:?}, expected {expected:?}"
        );
    }

    #[test]
    fn the_quantile_of_a_half_is_a_positive_zero() {
        let mut row = [0.5];
        Probit.apply(&mut row);
        assert!(row[0] == 0.0 && row[0].is_sign_positive());
    }

    /// Quantiles of the normal distribution from tables (Abramowitz and Stegun, 26.5); the others worked by
    /// hand.
    #[test]
    fn transforms() {
        let e = std::f64::consts::E;
        check(Softmax, &[0.0, 1.0], &[1.0 / (1.0 + e), e / (1.0 + e)]);
        check(Softmax, &[1000.0, 1000.0], &[0.5, 0.5]);
        check(
            SoftmaxZero,
            &[0.0, 1.0, 2.0],
            &[0.0, 1.0 / (1.0 + e), e / (1.0 + e)],
        );
        check(SoftmaxZero, &[0.0, 0.0], &[0.0, 0.0]);
        check(SoftmaxZero, &[-1.0, 0.0], &[1.0, 0.0]);
        check(Logistic, &[0.0, -800.0], &[0.5, 0.0]);
        check(
            Probit,
            &[0.0, 0.5, 1.0, -0.1, 1.1],
            &[f64::NEG_INFINITY, 0.0, f64::INFINITY, f64::NAN, f64::NAN],
        );
        check(
            Probit,
            &[0.975, 0.025, 0.001],
            &[1.959963984540054, -1.959963984540054, -3.090232306167813],
        );
    }
}
