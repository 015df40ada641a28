//! Properties of rounding: unit roundoff, γ, and ULP.

use std::cell::Cell;
use std::thread::LocalKey;

use onnx_tensor::DType;

/// The rounding properties of a binary floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Format {
    /// Bits of the significand including the implicit one.
    precision: i32,
    /// The exponent of the smallest normal number.
    least_exponent: i32,
}

/// The format in which operators compute results of a type ([`Growth`]).
fn format(dtype: DType) -> Option<Format> {
    let dtype = match (dtype, growth()) {
        (DType::Float16, Growth::Independent)
        | (DType::Bfloat16, Growth::Independent | Growth::IndependentNarrow) => DType::Float,
        _ => dtype,
    };
    let (precision, least_exponent) = match dtype {
        DType::Double | DType::Complex128 => (53, -1022),
        DType::Float | DType::Complex64 => (24, -126),
        DType::Float16 => (11, -14),
        DType::Bfloat16 => (8, -126),
        DType::Float8E4M3Fn => (4, -6),
        DType::Float8E4M3Fnuz => (4, -7),
        DType::Float8E5M2 => (3, -14),
        DType::Float8E5M2Fnuz => (3, -15),
        DType::Float6E2M3 => (4, 0),
        DType::Float6E3M2 => (3, -2),
        DType::Float4E2M1 => (2, 0),
        // Only powers of two: one bit of precision, and the least number is normal.
        DType::Float8E8M0 => (1, -127),
        DType::Uint8
        | DType::Int8
        | DType::Uint16
        | DType::Int16
        | DType::Int32
        | DType::Int64
        | DType::String
        | DType::Bool
        | DType::Uint32
        | DType::Uint64
        | DType::Uint4
        | DType::Int4
        | DType::Uint2
        | DType::Int2 => return None,
    };
    Some(Format {
        precision,
        least_exponent,
    })
}

/// The unit roundoff of a float type, half the distance from 1 to the next number; `None` for other types.
pub fn unit(dtype: DType) -> Option<f64> {
    Some((-f64::from(format(dtype)?.precision)).exp2())
}

/// The distance between adjacent numbers of this type at `magnitude` (below the smallest normal number, the
/// distance there: subnormals are evenly spaced). 0 for types that are not floats; infinite for a value
/// that is not finite.
pub fn ulp(dtype: DType, magnitude: f64) -> f64 {
    let Some(format) = format(dtype) else { return 0.0 };
    if !magnitude.is_finite() {
        return f64::INFINITY;
    }
    let exponent = if magnitude == 0.0 {
        format.least_exponent
    } else {
        exponent(magnitude).max(format.least_exponent)
    };
    power_of_two(exponent + 1 - format.precision)
}

/// 2ⁿ.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        -1022..=1023 => f64::from_bits(u64::from((exponent + 1023).unsigned_abs()) << 52),
        _ => f64::from(exponent).exp2(),
    }
}

/// ⌊log₂⌋ of a finite magnitude other than 0.
fn exponent(magnitude: f64) -> i32 {
    let bits = ((magnitude.abs().to_bits() >> 52) & 0x7ff) as i32;
    // Subnormals of f64 are below the range of every format except f64, and have its least exponent.
    bits.max(1) - 1023
}

/// How the errors of n roundings add up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Growth {
    /// All have the same sign: a bound.
    #[default]
    Worst,
    /// They are independent, and operators of 16-bit types compute in float: the size of the error of an
    /// ordinary implementation before its result is rounded (N. Higham and T. Mary, *A New Approach to
    /// Probabilistic Rounding Error Analysis*, 2019, Theorem 2.4: √n in place of n).
    Independent,
    /// They are independent, and operators of float16 compute in it. No runtime or processor is known that
    /// computes in bfloat16: it is a format of storage.
    IndependentNarrow,
}

/// The error of a float function that is evaluated relative to its range, as a share of the range.
pub const OF_RANGE: f64 = 1.0 / (1 << 22) as f64;

/// The same of some functions, as a multiple: the largest errors that were measured on 150,001 arguments from
/// -120 to 30, those of tract 0.23 (ONNX Runtime 1.32: 1.8e-7, 2.4e-7, 6e-8; rten 0.27: 6e-8, 1.2e-7,
/// 3.8e-7).
pub const SIGMOID: f64 = 2.0;
pub const TANH: f64 = 3.0;
pub const ERF: f64 = 6.0;

thread_local! {
    static GROWTH: Cell<Growth> = const { Cell::new(Growth::Worst) };
    static ACCURATE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `rules` for the most accurate of the usual ways to compute a result alone, or for all of them: that
/// one divides integers and does not multiply by reciprocals, and computes a variance in two passes.
pub fn with_accurate<R>(holds: bool, rules: impl FnOnce() -> R) -> R {
    with(&ACCURATE, holds, rules)
}

/// Whether this evaluation of rules is about the most accurate way alone ([`with_accurate`]).
pub fn is_accurate() -> bool {
    ACCURATE.get()
}

/// Runs `rules` with another growth of errors in [`gamma`].
pub fn with_growth<R>(growth: Growth, rules: impl FnOnce() -> R) -> R {
    with(&GROWTH, growth, rules)
}

/// Runs `rules` with another value of a setting.
fn with<T: 'static, R>(setting: &'static LocalKey<Cell<T>>, value: T, rules: impl FnOnce() -> R) -> R {
    let before = setting.replace(value);
    let result = rules();
    setting.set(before);
    result
}

/// The growth of errors in this evaluation of rules.
pub fn growth() -> Growth {
    GROWTH.get()
}

/// The size of the sum of two errors: a + b, or √(a² + b²) if they are independent ([`Growth`]).
pub fn joint(a: f64, b: f64) -> f64 {
    match growth() {
        Growth::Worst => a + b,
        // Without a second error the first is exact, and infinities stay.
        _ if a == 0.0 || b == 0.0 => a + b,
        // Squares of ordinary errors are far from the ends of the range.
        _ => match a * a + b * b {
            sum @ 1e-280..=1e280 => sum.sqrt(),
            _ => a.hypot(b),
        },
    }
}

/// The size of the sum of many errors ([`joint`]).
pub fn joint_sum(errors: impl Iterator<Item = f64>) -> f64 {
    match growth() {
        Growth::Worst => errors.sum(),
        Growth::Independent | Growth::IndependentNarrow => {
            errors.map(|error| error * error).sum::<f64>().sqrt()
        }
    }
}

/// The size of `n` errors of the same size: n, or √n if they are independent ([`Growth`]).
pub fn several(n: f64) -> f64 {
    match growth() {
        Growth::Worst => n,
        Growth::Independent | Growth::IndependentNarrow => n.sqrt(),
    }
}

/// The size of the error of a sum of `terms` exact products with independent roundings. The error of each
/// partial sum is relative to this sum. Terms of random signs have partial sums of the size of √k terms,
/// which gives u·Σ|a·b|; the partial sums of terms of one sign grow to the result, which gives √(n/3)·u·|y|.
pub fn ordinary_sum(magnitudes: f64, sum: f64, terms: f64, unit: f64) -> f64 {
    magnitudes * unit + (terms / 3.0).sqrt() * unit * sum.abs()
}

/// The maximum relative growth by n roundings, γₙ = n·u / (1 − n·u) (Higham, §3.1), infinite if n·u ≥ 1; or
/// √n·u if the errors are independent ([`Growth`]).
pub fn gamma(n: f64, unit: f64) -> f64 {
    if growth() != Growth::Worst {
        return several(n) * unit;
    }
    let product = n * unit;
    if product < 1.0 {
        product / (1.0 - product)
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_in_the_last_place() {
        for (dtype, magnitude, expected) in [
            (DType::Float, 1.0, f64::from(f32::EPSILON)),
            (DType::Float, 1.999, f64::from(f32::EPSILON)),
            (DType::Float, 0.0, f64::from(f32::from_bits(1))),
            (DType::Float, 1e-42, f64::from(f32::from_bits(1))),
            (DType::Double, 2.0, 2.0 * f64::EPSILON),
            (DType::Double, 5e-324, 5e-324),
            (DType::Float16, 65504.0, 32.0),
            (DType::Bfloat16, 3.0, 2.0_f64.powi(-6)),
            (DType::Float4E2M1, 6.0, 2.0),
            (DType::Float4E2M1, 0.5, 0.5),
            (DType::Int32, 6.0, 0.0),
        ] {
            assert_eq!(ulp(dtype, magnitude), expected, "{dtype} {magnitude}");
        }
        assert!(ulp(DType::Float, f64::NAN).is_infinite());
    }

    #[test]
    fn growth() {
        assert_eq!(gamma(0.0, 0.5), 0.0);
        assert_eq!(gamma(1.0, 0.25), 1.0 / 3.0);
        assert!(gamma(4.0, 0.25).is_infinite());
    }

    #[test]
    fn independent_errors_join_at_right_angles() {
        let errors = || [3.0, 4.0].into_iter();
        assert_eq!((joint(3.0, 4.0), joint_sum(errors())), (7.0, 7.0));
        let independent = with_growth(Growth::Independent, || (joint(3.0, 4.0), joint_sum(errors())));
        assert_eq!(independent, (5.0, 5.0));
    }

    #[test]
    fn ordinary_implementations_compute_16_bit_types_in_float() {
        let units = |growth| with_growth(growth, || (unit(DType::Float16), unit(DType::Double)));
        let double = unit(DType::Double);
        assert_eq!(units(Growth::Independent), (unit(DType::Float), double));
        assert_eq!(units(Growth::IndependentNarrow), (unit(DType::Float16), double));
        let bfloat16 = with_growth(Growth::IndependentNarrow, || unit(DType::Bfloat16));
        assert_eq!(bfloat16, unit(DType::Float));
    }
}
