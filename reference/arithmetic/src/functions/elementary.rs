//! Elementary functions in f64, without branches, so that loops over them are vectorised.
//!
//! Each states its greatest relative error. It is measured against an evaluation in 320 bits; the callers
//! allow more than twice as much.

/// 1.5 · 2⁵²: a number below 2⁵¹ plus this one is rounded to an integer, which its lowest bits are.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// ln 2, and what f64 lost of it.
const LN_2: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];

/// 1/n! for n from 2 to 14.
const FACTORIALS: [f64; 13] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5040.0,
    1.0 / 40320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
    1.0 / 87_178_291_200.0,
];

/// The value of a polynomial with these coefficients from the constant on.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let mut value = coefficients[N - 1];
    for index in (0..N - 1).rev() {
        value = value.mul_add(x, coefficients[index]);
    }
    value
}

/// 2ⁿ and eʳ − 1 with x = n ln 2 + r, |r| ≤ ln 2 / 2, for |x| ≤ 700.
#[inline(always)]
fn split_exp(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(std::f64::consts::LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    let r = n.mul_add(-LN_2[1], n.mul_add(-LN_2[0], x));
    let rest = (r * r).mul_add(polynomial(&FACTORIALS, r), r);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    (power, rest)
}

/// eˣ within 2⁻⁵⁰, for |x| ≤ 700.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    let (power, rest) = split_exp(x);
    power.mul_add(rest, power)
}

/// eˣ − 1 within 2⁻⁵⁰, for |x| ≤ 700.
#[inline(always)]
pub(super) fn exp_m1(x: f64) -> f64 {
    let (power, rest) = split_exp(x);
    power.mul_add(rest, power - 1.0)
}

/// 2 artanh s = ln ((1 + s) / (1 − s)) within 2⁻⁵⁰, for |s| ≤ 1/3.
#[inline(always)]
fn twice_artanh(s: f64) -> f64 {
    const COEFFICIENTS: [f64; 15] = [
        2.0 / 3.0,
        2.0 / 5.0,
        2.0 / 7.0,
        2.0 / 9.0,
        2.0 / 11.0,
        2.0 / 13.0,
        2.0 / 15.0,
        2.0 / 17.0,
        2.0 / 19.0,
        2.0 / 21.0,
        2.0 / 23.0,
        2.0 / 25.0,
        2.0 / 27.0,
        2.0 / 29.0,
        2.0 / 31.0,
    ];
    let square = s * s;
    (s * square).mul_add(polynomial(&COEFFICIENTS, square), 2.0 * s)
}

/// ln x within 2⁻⁵⁰, for a positive normal x.
#[inline(always)]
pub(super) fn ln(x: f64) -> f64 {
    // The mantissa is between √½ and √2.
    const LEAST: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let above = x.to_bits().wrapping_sub(LEAST);
    let exponent = (above as i64 >> 52) as u64;
    let mantissa = f64::from_bits(x.to_bits().wrapping_sub(exponent << 52));
    let exponent = f64::from_bits(SHIFT.to_bits().wrapping_add(exponent)) - SHIFT;
    let rest = twice_artanh((mantissa - 1.0) / (mantissa + 1.0));
    exponent.mul_add(LN_2[0], exponent.mul_add(LN_2[1], rest))
}

/// ln (1 + x) within 2⁻⁵⁰, for 0 ≤ x ≤ 1.
#[inline(always)]
pub(super) fn ln_1p(x: f64) -> f64 {
    twice_artanh(x / (2.0 + x))
}

/// The coefficients of erf(√t) / √t over 0 ≤ t ≤ 16 in Chebyshev polynomials; the next one is below 2⁻⁶⁰.
const ERF: [f64; 30] = [
    0.48591295690286307,
    -0.3454078550049498,
    0.16182910121364605,
    -0.07648275610550889,
    0.03466993680050752,
    -0.014811864147814756,
    0.005922937956232048,
    -0.0022118406588101133,
    0.000771415427840231,
    -0.0002515965878094944,
    7.688658221076946e-05,
    -2.206549593884078e-05,
    5.961274041518158e-06,
    -1.5197750712645664e-06,
    3.6649304334520724e-07,
    -8.378998356801465e-08,
    1.820144886058123e-08,
    -3.7644779416705625e-09,
    7.427368551387369e-10,
    -1.400531848440494e-10,
    2.528290597579186e-11,
    -4.376626212874705e-12,
    7.275953483805452e-13,
    -1.1633161243580098e-13,
    1.7912037966019806e-14,
    -2.65937176438407e-15,
    3.811668819575659e-16,
    -5.280059609301938e-17,
    7.076328973162124e-18,
    -9.184492977373442e-19,
];

/// erf x within 2⁻⁴⁸, for |x| ≤ 4.
#[inline(always)]
pub(super) fn erf(x: f64) -> f64 {
    // Clenshaw's recurrence.
    let twice = (x * x).mul_add(0.25, -2.0);
    let (mut next, mut after) = (0.0, 0.0);
    for index in (1..ERF.len()).rev() {
        (next, after) = (twice.mul_add(next, ERF[index] - after), next);
    }
    x * (twice * 0.5).mul_add(next, ERF[0] - after)
}

/// sin x and cos x within 2⁻⁴³ of the value or 2⁻⁸⁰, for |x| ≤ 2²⁰.
#[inline(always)]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    const SIN: [f64; 9] = [
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 355_687_428_096_000.0,
        -1.0 / 121_645_100_408_832_000.0,
    ];
    const COS: [f64; 9] = [
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 20_922_789_888_000.0,
        -1.0 / 6_402_373_705_728_000.0,
        1.0 / 2_432_902_008_176_640_000.0,
    ];
    /// π/2, and what f64 lost of each part.
    const HALF_PI: [f64; 3] = [
        std::f64::consts::FRAC_PI_2,
        6.123_233_995_736_766e-17,
        -1.497_384_904_859_169_8e-33,
    ];
    let shifted = x.mul_add(std::f64::consts::FRAC_2_PI, SHIFT);
    let n = shifted - SHIFT;
    let r = HALF_PI.iter().fold(x, |r, &part| n.mul_add(-part, r));
    let square = r * r;
    let sine = (r * square).mul_add(polynomial(&SIN, square), r);
    let cosine = (square * square).mul_add(polynomial(&COS, square), square.mul_add(-0.5, 1.0));
    let quarter = shifted.to_bits();
    let (s, c) = if quarter & 1 == 0 {
        (sine, cosine)
    } else {
        (cosine, sine)
    };
    // The sine is negative in the last two quarters, the cosine in the second and the third.
    let signed = |value: f64, quarter: u64| f64::from_bits(value.to_bits() ^ (quarter & 2) << 62);
    (signed(s, quarter), signed(c, quarter.wrapping_add(1)))
}
