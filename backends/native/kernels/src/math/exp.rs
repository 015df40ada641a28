//! The exponential function, `e^x - 1`, and the hyperbolic tangent.

use super::polynomial;
use crate::simd::Simd;

/// ln 2 in two parts; the first has few bits, so that its product with an exponent is exact.
const LN2_HIGH: f32 = 0.693_359_375;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `(n, r)` with `x = n·ln 2 + r`, `|r| <= ln 2 / 2`.
#[inline(always)]
fn reduce<S: Simd>(s: S, x: S::V) -> (S::V, S::V) {
    let n = s.round(s.mul(x, s.splat(std::f32::consts::LOG2_E)));
    let r = s.fma(n, s.splat(-LN2_HIGH), x);
    (n, s.fma(n, s.splat(-LN2_LOW), r))
}

/// `e^x`.
#[inline(always)]
pub(crate) fn exp<S: Simd>(s: S, x: S::V) -> S::V {
    // Beyond these bounds the result is 0 or infinite, and the exponents below stay in range.
    let x = s.min(s.splat(89.0), s.max(s.splat(-104.0), x));
    let (n, e) = parts(s, x);
    s.scale(e, n)
}

/// The exponent of the factor of [`exp_lifted`].
pub(crate) const LIFT: i32 = 24;

/// `e^x · 2^LIFT` for `x <= 0`, and 0 where `e^x` rounds to 0. No result is denormal: arithmetic with
/// denormal numbers takes a hundred times as long.
#[inline(always)]
pub(crate) fn exp_lifted<S: Simd>(s: S, x: S::V) -> S::V {
    // The natural logarithm of half of the least number, rounded up.
    let least = s.splat(-103.97);
    let (n, e) = parts(s, s.max(least, x));
    let power = s.scale(e, s.add(n, s.splat(LIFT as f32)));
    s.select(s.lt(x, least), s.zero(), power)
}

/// `(n, e)` with `e^x = 2^n · e`.
#[inline(always)]
fn parts<S: Simd>(s: S, x: S::V) -> (S::V, S::V) {
    let (n, r) = reduce(s, x);
    let p = polynomial(
        s,
        r,
        [
            4.999_999_4e-1,
            1.666_652_1e-1,
            4.166_839e-2,
            8.368_745_4e-3,
            1.381_454e-3,
        ],
    );
    (n, s.add(s.fma(s.mul(r, r), p, r), s.splat(1.0)))
}

/// `e^x - 1`, accurate also near 0.
#[inline(always)]
pub(crate) fn expm1<S: Simd>(s: S, x: S::V) -> S::V {
    let x = s.min(s.splat(89.0), s.max(s.splat(-18.0), x));
    let (n, r) = reduce(s, x);
    let p = expm1_reduced(s, r);
    // 2^n in two factors, because it would overflow for n = 128: 2^h · (2^(n-h)·(1 + p) - 2^-h).
    let n = s.to_int(n);
    let h = s.shr_i::<1>(n);
    let second = s.power_of_two(s.sub_i(n, h));
    let one = s.power_of_two(s.sub_i(s.splat_i(0), h));
    s.mul(s.fma(p, second, s.sub(second, one)), s.power_of_two(h))
}

#[inline(always)]
fn expm1_reduced<S: Simd>(s: S, r: S::V) -> S::V {
    let p = polynomial(
        s,
        r,
        [
            5e-1,
            1.666_666_7e-1,
            4.166_635_5e-2,
            8.333_273e-3,
            1.394_105e-3,
            1.991_422_9e-4,
        ],
    );
    s.fma(s.mul(r, r), p, r)
}

/// `tanh x`, as `t / (t + 2)` with `t = e^2|x| - 1`.
#[inline(always)]
pub(crate) fn tanh<S: Simd>(s: S, x: S::V) -> S::V {
    let (numerator, denominator) = tanh_parts(s, x);
    s.copysign(s.div(numerator, denominator), x)
}

/// Numerator and denominator of [`tanh`] of `|x|`; they are below 2²⁷.
#[inline(always)]
pub(crate) fn tanh_parts<S: Simd>(s: S, x: S::V) -> (S::V, S::V) {
    // From 9.02 on the result rounds to 1.
    let a = s.min(s.splat(9.1), s.abs(x));
    let (n, r) = reduce(s, s.add(a, a));
    let scale = s.power_of_two(s.to_int(n));
    let t = s.fma(expm1_reduced(s, r), scale, s.sub(scale, s.splat(1.0)));
    (t, s.add(t, s.splat(2.0)))
}
