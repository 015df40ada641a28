//! Functions in double that the standard library lacks, or computes with cancellation.
//!
//! No formula here subtracts numbers of similar size, except where the difference is exact: a result is a
//! chain of fewer than ten operations and library functions, each with a relative error of at most 2 ULP,
//! 2^-51. `ln_1p` and `exp_m1` keep the relative error of their argument. The condition number of erfc at z
//! is about 2z², at most 2^8.7 where the result is above 2^-150, so that its error stays below 2^-42; below,
//! the result is 0 in every format for which this evaluation decides.

use std::f64::consts::FRAC_1_SQRT_2;

/// ln(|x| + √(x² + 1)) with the sign of x.
pub fn asinh(x: f64) -> f64 {
    let (a, square) = (x.abs(), x * x);
    let result = if square.is_finite() {
        (a + square / (1.0 + (square + 1.0).sqrt())).ln_1p()
    } else {
        a.ln() + std::f64::consts::LN_2
    };
    result.copysign(x)
}

/// ln(x + √(x² − 1)), NaN below 1. x − 1 is exact below 2, and has one rounding above.
pub fn acosh(x: f64) -> f64 {
    let above = if x < 1.0 { f64::NAN } else { x - 1.0 };
    if (above * above).is_infinite() {
        x.ln() + std::f64::consts::LN_2
    } else {
        (above + (2.0 * above + above * above).sqrt()).ln_1p()
    }
}

/// ln((1 + x) / (1 − x)) / 2.
pub fn atanh(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * (2.0 * a / (1.0 - a)).ln_1p()).copysign(x)
}

/// 1 / (1 + e^−x).
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// ln(1 + e^x).
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// x · tanh(softplus(x)).
pub fn mish(x: f64) -> f64 {
    x * softplus(x).tanh()
}

/// x · sigmoid(x).
pub fn swish(x: f64) -> f64 {
    x * sigmoid(x)
}

/// x, or alpha · (e^x − 1) below 0.
pub fn elu(x: f64, alpha: f64) -> f64 {
    if x > 0.0 { x } else { x.exp_m1() * alpha }
}

/// x · (1 + erf(x / √2)) / 2 = x · erfc(−x / √2) / 2.
pub fn gelu(x: f64) -> f64 {
    x * libm::erfc(-x * FRAC_1_SQRT_2) * 0.5
}
