//! `post_transform`, the last step of every predictor.
//!
//! LOGISTIC and PROBIT apply to each score, SOFTMAX to the scores of a row. SOFTMAX_ZERO is a
//! softmax over the scores that are not zero; a score of magnitude up to 1e-7 counts as zero and
//! becomes x·exp(−max)/sum. A row of zeros is unchanged.

use super::super::Call;
use crate::error::{Problem, invalid};

/// Scores up to this magnitude count as zero for SOFTMAX_ZERO.
const ZERO: f64 = 1e-7;

/// A transform of the scores of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transform {
    /// Nothing.
    None,
    /// exp(x) / Σ exp(x).
    Softmax,
    /// 1 / (1 + exp(−x)).
    Logistic,
    /// Softmax over the scores that are not zero.
    SoftmaxZero,
    /// The inverse of the cumulative normal distribution.
    Probit,
}

impl Transform {
    /// Reads the attribute `post_transform`, a name.
    pub fn named(call: &Call) -> Result<Transform, Problem> {
        match call.attributes.text("post_transform")? {
            "NONE" => Ok(Transform::None),
            "SOFTMAX" => Ok(Transform::Softmax),
            "LOGISTIC" => Ok(Transform::Logistic),
            "SOFTMAX_ZERO" => Ok(Transform::SoftmaxZero),
            "PROBIT" => Ok(Transform::Probit),
            other => unknown(other),
        }
    }

    /// Reads the attribute `post_transform`, a number.
    pub fn numbered(call: &Call) -> Result<Transform, Problem> {
        match call.attributes.int("post_transform")? {
            0 => Ok(Transform::None),
            1 => Ok(Transform::Softmax),
            2 => Ok(Transform::Logistic),
            3 => Ok(Transform::SoftmaxZero),
            4 => Ok(Transform::Probit),
            other => unknown(other),
        }
    }

    /// Transforms the scores of each row of this width.
    pub fn apply(self, scores: &mut [f64], width: usize) {
        match self {
            Transform::None => {}
            Transform::Logistic => scores.iter_mut().for_each(|score| *score = logistic(*score)),
            Transform::Probit => scores.iter_mut().for_each(|score| *score = probit(*score)),
            Transform::Softmax => scores
                .chunks_exact_mut(width.max(1))
                .for_each(|row| softmax(row, |_| true)),
            Transform::SoftmaxZero => scores
                .chunks_exact_mut(width.max(1))
                .filter(|row| row.iter().any(|&score| score != 0.0))
                .for_each(|row| softmax(row, |score| score.abs() > ZERO)),
        }
    }
}

fn unknown<T>(value: impl std::fmt::Display) -> Result<T, Problem> {
    invalid(format!(
        "attribute `post_transform` is {value}, which is not a known transform"
    ))
}

/// Softmax over the scores that count. The others are scaled by the same factor, without the exponential.
fn softmax(row: &mut [f64], counts: impl Fn(f64) -> bool) {
    let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in row.iter_mut() {
        if counts(*score) {
            *score = (*score - max).exp();
            sum += *score;
        } else {
            *score *= (-max).exp();
        }
    }
    row.iter_mut().for_each(|score| *score /= sum);
}

/// Returns 1 / (1 + exp(−x)).
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The number with this probability of a smaller one in the normal distribution: √2·erf⁻¹(2p − 1).
fn probit(p: f64) -> f64 {
    let root = std::f64::consts::SQRT_2;
    match p {
        0.0 => f64::NEG_INFINITY,
        1.0 => f64::INFINITY,
        // 2p − 1 is exact here, and would lose digits in the tails.
        _ if (0.25..=0.75).contains(&p) => root * solve(-1.0, 1.0, |y| libm::erf(y) < 2.0 * p - 1.0),
        _ if p > 0.0 && p < 0.25 => -root * solve(0.0, 40.0, |y| libm::erfc(y) > 2.0 * p),
        _ if p > 0.75 && p < 1.0 => root * solve(0.0, 40.0, |y| libm::erfc(y) > 2.0 * (1.0 - p)),
        _ => f64::NAN,
    }
}

/// Returns the end of the numbers in a range for which `is_below` holds, by bisection to the last bit.
fn solve(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return high;
        }
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Transform::{self, Logistic, Probit, Softmax, SoftmaxZero};

    #[track_caller]
    fn check(transform: Transform, row: &[f64], expected: &[f64]) {
        let mut found = row.to_vec();
        transform.apply(&mut found, row.len());
        let near = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-13 * b.abs();
        let same = found.iter().zip(expected).all(|(&a, &b)| near(a, b));
        assert!(
            same,
            "{transform:?} of {row:?} is {found:?}, expected {expected:?}"
        );
    }

    /// Quantiles of the normal distribution: the 0.9, 0.975, 0.999 and 0.51 quantiles of published tables, to
    /// 15 digits. The others are derived by hand.
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
            &[0.0, 0.5, 1.0, -0.1, 1.1, f64::NAN],
            &[
                f64::NEG_INFINITY,
                0.0,
                f64::INFINITY,
                f64::NAN,
                f64::NAN,
                f64::NAN,
            ],
        );
        check(
            Probit,
            &[0.975, 0.025, 0.001, 0.9],
            &[
                1.959963984540054,
                -1.959963984540054,
                -3.090232306167813,
                1.2815515655446004,
            ],
        );
    }
}
