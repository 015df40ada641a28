//! The logistic function.

use super::exp;
use crate::simd::Simd;

/// `1 / (1 + e^-x)`, as `e^x / (1 + e^x)` for negative arguments, so that small results are accurate.
#[inline(always)]
pub(crate) fn sigmoid<S: Simd>(s: S, x: S::V) -> S::V {
    let (numerator, denominator) = sigmoid_parts(s, x);
    s.div(numerator, denominator)
}

/// Numerator and denominator of [`sigmoid`]; they are at most 1 and 2.
#[inline(always)]
pub(crate) fn sigmoid_parts<S: Simd>(s: S, x: S::V) -> (S::V, S::V) {
    let one = s.splat(1.0);
    let z = exp(s, s.neg(s.abs(x)));
    let numerator = s.select(s.lt(x, s.zero()), z, one);
    (numerator, s.add(one, z))
}
