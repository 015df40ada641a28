//! The error function.

use super::{exp, polynomial};
use crate::simd::Simd;

/// `erf x`: a polynomial in `x²` below 0.93, `1 - e^-P(|x|)` above.
#[inline(always)]
pub(crate) fn erf<S: Simd>(s: S, x: S::V) -> S::V {
    let a = s.abs(x);
    let small = erf_near_zero(s, x);
    // From 3.93 on the result rounds to 1.
    let b = s.min(s.splat(4.0), a);
    let exponent = polynomial(
        s,
        b,
        [
            1.664_465_7e-4,
            1.127_797_2,
            6.369_760_6e-1,
            1.041_136_8e-1,
            -2.231_521_7e-2,
            3.065_491e-3,
            -1.982_197_4e-4,
        ],
    );
    let large = s.sub(s.splat(1.0), exp(s, s.neg(exponent)));
    s.select(s.lt(a, s.splat(0.93)), small, s.copysign(large, x))
}

/// `erf x` for `|x|` below 0.93.
#[inline(always)]
pub(super) fn erf_near_zero<S: Simd>(s: S, x: S::V) -> S::V {
    let square = s.mul(x, x);
    let small = polynomial(
        s,
        square,
        [
            1.283_791_7e-1,
            -3.761_263_2e-1,
            1.128_366_4e-1,
            -2.685_770_6e-2,
            5.196_952_3e-3,
            -8.097_703e-4,
            8.185_092e-5,
        ],
    );
    s.fma(x, small, x)
}
