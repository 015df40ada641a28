//! Trigonometric functions of f32, computed in f64 and rounded once.
//!
//! The loops have no branches, so the compiler vectorizes them. The relative error in f64 is below 10⁻¹³: the
//! result is the correctly rounded one, or next to it if the exact value is within 10⁻⁶ ULP of the middle of
//! two floats.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

use super::horner;

/// The first 33 bits of π/2; its product with a whole number below 2²⁰ is exact.
const HALF_PI: f64 = 1.5707963267341256;
/// The rest of π/2.
const HALF_PI_REST: f64 = 6.077100506506192e-11;

/// Arguments up to here are reduced exactly enough.
pub(crate) const GREATEST_ANGLE: f32 = 1e6;

/// asin(√z)/√z for z from 0 to 1/4, interpolated at Chebyshev's nodes.
const ASIN: [f64; 10] = [
    0.9999999999999493,
    0.16666666670723188,
    0.07499999467531561,
    0.044643126897073435,
    0.030375046838709736,
    0.022472629272259407,
    0.016472738109361944,
    0.018638508213446328,
    -0.0028563505336838967,
    0.03194399638410843,
];

/// atan(√z)/√z for z from 0 to 1, interpolated at Chebyshev's nodes.
const ATAN: [f64; 16] = [
    0.9999999999999531,
    -0.33333333330931053,
    0.19999999793953496,
    -0.14285707246678706,
    0.11110983774962185,
    -0.0908950250900279,
    0.07681984916045911,
    -0.06613494495894422,
    0.056826465091119466,
    -0.047005235904944216,
    0.0354478304883713,
    -0.02279206378279654,
    0.011594726016119614,
    -0.0042695010966784085,
    0.0009961348991062624,
    -0.00010950133737292665,
];

/// Taylor's series of sin(r)/r in r².
const SIN: [f64; 8] = [
    1.0,
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
];

/// Taylor's series of cos(r) in r².
const COS: [f64; 9] = [
    1.0,
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// The sine of `x + quarters · π/2`, for arguments up to [`GREATEST_ANGLE`].
#[inline(always)]
fn sine(x: f64, quarters: u64) -> f64 {
    // The bits of a sum with this number end with the nearest whole number.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let shifted = x * FRAC_2_PI + WHOLE;
    let turns = shifted - WHOLE;
    let quadrant = shifted.to_bits().wrapping_add(quarters);
    let rest = (x - turns * HALF_PI) - turns * HALF_PI_REST;
    let square = rest * rest;
    let sine = rest * horner(square, &SIN);
    let cosine = horner(square, &COS);
    let value = if quadrant & 1 == 0 { sine } else { cosine };
    f64::from_bits(value.to_bits() ^ ((quadrant & 2) << 62))
}

/// `sin x`, up to [`GREATEST_ANGLE`].
#[inline(always)]
pub(crate) fn sin(x: f64) -> f64 {
    sine(x, 0)
}

/// `cos x`, up to [`GREATEST_ANGLE`].
#[inline(always)]
pub(crate) fn cos(x: f64) -> f64 {
    sine(x, 1)
}

/// `asin |x|` for the near part, and `asin √((1 - |x|) / 2)` for the far part, from 1/2 on.
#[inline(always)]
fn arc(x: f64) -> (bool, f64) {
    let far = x.abs() > 0.5;
    let half = (1.0 - x.abs()) * 0.5;
    let square = if far { half } else { x * x };
    let root = if far { half.sqrt() } else { x.abs() };
    (far, root * horner(square, &ASIN))
}

/// `asin x`; NaN outside of -1 to 1.
#[inline(always)]
pub(crate) fn asin(x: f64) -> f64 {
    let (far, angle) = arc(x);
    let angle = if far { FRAC_PI_2 - 2.0 * angle } else { angle };
    angle.copysign(x)
}

/// `acos x`; NaN outside of -1 to 1.
#[inline(always)]
pub(crate) fn acos(x: f64) -> f64 {
    let (far, angle) = arc(x);
    let near = FRAC_PI_2 - angle.copysign(x);
    let beyond = if x < 0.0 { PI - 2.0 * angle } else { 2.0 * angle };
    if far { beyond } else { near }
}

/// `atan x`
#[inline(always)]
pub(crate) fn atan(x: f64) -> f64 {
    let far = x.abs() > 1.0;
    let ratio = if far { 1.0 / x.abs() } else { x.abs() };
    let angle = ratio * horner(ratio * ratio, &ATAN);
    let angle = if far { FRAC_PI_2 - angle } else { angle };
    angle.copysign(x)
}
