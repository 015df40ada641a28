//! The exact Gaussian error linear unit.

use super::erf::erf_near_zero;
use super::{exp, polynomial};
use crate::simd::Simd;

/// `x·Φ(x) = max(x, 0) - |x|·Φ(-|x|)`, with `Φ(-t) = ½·e^(-t²/2)·R(t)`; no cancellation in the tails. From
/// -0.6 to 1.25, where that difference loses a bit, `½x·(1 + erf(x/√2))`.
#[inline(always)]
pub(crate) fn gelu<S: Simd>(s: S, x: S::V) -> S::V {
    // Φ(-14.5) is below every f32.
    let t = s.min(s.splat(14.5), s.abs(x));
    let u = s.div(s.splat(1.0), s.fma(t, s.splat(0.3), s.splat(1.0)));
    let r = polynomial(
        s,
        u,
        [
            1.413_606_1e-6,
            2.393_406_3e-1,
            2.394_714_2e-1,
            2.186_021e-1,
            1.635_071e-1,
            1.763_030_3e-1,
            -1.332_898_9e-1,
            3.564_915_7e-1,
            -4.381_647e-1,
            2.177_759_7e-1,
            -4.003_866_4e-2,
        ],
    );
    // The square in two parts: half a ULP of t² would be many ULP of the exponential.
    let square = s.mul(t, t);
    let lost = s.square_error(t, square);
    let e = exp(s, s.mul(square, s.splat(-0.5)));
    let e = s.fma(e, s.mul(lost, s.splat(-0.5)), e);
    let tail = s.mul(s.mul(t, s.splat(0.5)), s.mul(e, r));
    // max(x, 0) as a difference: NaN is preserved, and -∞, which the formula multiplies by 0, becomes NaN.
    let far = s.sub(s.sub(x, s.min(s.zero(), x)), tail);
    // 0 - 0 is +0, and the result has the sign of x.
    let far = s.copysign(far, x);
    let root = s.mul(x, s.splat(std::f32::consts::FRAC_1_SQRT_2));
    let gate = s.add(s.splat(1.0), erf_near_zero(s, root));
    let near = s.mul(s.mul(x, s.splat(0.5)), gate);
    let is_near = s.lt(s.abs(s.sub(x, s.splat(0.325))), s.splat(0.925));
    s.select(is_near, near, far)
}
