//! The natural logarithm and softplus.

use super::{exp, polynomial};
use crate::simd::Simd;

/// `ln x` for positive, finite, normal `x`.
#[inline(always)]
fn log_normal<S: Simd>(s: S, x: S::V) -> S::V {
    // x = 2^e · m with m in [√½, √2): the exponent of x divided by √½.
    let bits = s.sub_i(s.bits(x), s.splat_i(0x3f35_04f3));
    let e = s.from_int(s.shr_i::<23>(bits));
    let m = s.from_bits(s.add_i(s.and_i(bits, s.splat_i(0x007f_ffff)), s.splat_i(0x3f35_04f3)));
    let f = s.sub(m, s.splat(1.0));
    log1p_reduced(s, f, e)
}

/// `ln(1 + f) + e·ln 2`.
#[inline(always)]
fn log1p_reduced<S: Simd>(s: S, f: S::V, e: S::V) -> S::V {
    let p = polynomial(
        s,
        f,
        [
            3.333_331e-1,
            -2.499_998_7e-1,
            2.000_222_7e-1,
            -1.666_925e-1,
            1.421_865_5e-1,
            -1.238_436_8e-1,
            1.187_302e-1,
            -1.178_971_1e-1,
            6.915_155_8e-2,
        ],
    );
    let square = s.mul(f, f);
    // Smallest term first.
    let low = s.fma(s.mul(square, f), p, s.mul(e, s.splat(-2.121_944_4e-4)));
    let low = s.fma(square, s.splat(-0.5), low);
    s.fma(e, s.splat(0.693_359_375), s.add(f, low))
}

/// `ln x`; NaN below 0, negative infinity at 0.
#[inline(always)]
pub(crate) fn log<S: Simd>(s: S, x: S::V) -> S::V {
    let tiny = s.lt(x, s.splat(f32::MIN_POSITIVE));
    let scaled = s.select(tiny, s.mul(x, s.splat(8_388_608.0)), x);
    let result = log_normal(s, scaled);
    let result = s.select(tiny, s.sub(result, s.splat(15.942_385)), result);
    let result = s.select(s.lt(x, s.splat(f32::INFINITY)), result, x);
    let result = s.select(s.lt(x, s.zero()), s.splat(f32::NAN), result);
    s.select(s.eq(x, s.zero()), s.splat(f32::NEG_INFINITY), result)
}

/// `ln(1 + e^x)` as `max(x, 0) + ln(1 + e^-|x|)`.
#[inline(always)]
pub(crate) fn softplus<S: Simd>(s: S, x: S::V) -> S::V {
    let one = s.splat(1.0);
    let z = exp(s, s.neg(s.abs(x)));
    let u = s.add(one, z);
    // The part that was rounded off in 1 + z, relative to it.
    let lost = s.div(s.sub(z, s.sub(u, one)), u);
    s.add(s.max(s.zero(), x), s.add(log_normal(s, u), lost))
}
