//! The distance of two floats in ULP.
//!
//! The values of a format are numbered in order, and the distance is the difference of the numbers. This is
//! correct at zero (the two zeros have the same number), across powers of two and for subnormals, for every
//! format from f64 to fp4. (Relative formulas are wrong in all three cases.)

use onnx_tensor::minifloat::{self, Format};
use onnx_tensor::{F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, bf16, f16};

/// A float whose values are numbered in order.
pub trait Ordinal: Copy {
    /// Bits of the mantissa field: values whose number is below 2^this are subnormal.
    const MANTISSA_BITS: u32;

    /// The number of this value; both zeros have the same. Undefined for NaN.
    fn ordinal(self) -> i64;

    /// The value with this number, which must exist.
    fn from_ordinal(ordinal: i64) -> Self;
}

/// The distance in ULP, at most 2⁶⁴. Neither may be NaN.
pub fn ulp_distance<T: Ordinal>(a: T, b: T) -> f64 {
    (i128::from(a.ordinal()) - i128::from(b.ordinal())).unsigned_abs() as f64
}

/// The number of a value in a format of sign and magnitude.
fn sign_magnitude(negative: bool, magnitude: u64) -> i64 {
    let magnitude = magnitude as i64;
    if negative { -magnitude } else { magnitude }
}

macro_rules! ieee {
    ($($ty:ty: $mantissa:literal),*) => {$(
        impl Ordinal for $ty {
            const MANTISSA_BITS: u32 = $mantissa;

            fn ordinal(self) -> i64 {
                let sign = <$ty>::from_bits(1).to_bits() << (size_of::<$ty>() * 8 - 1);
                let bits = self.to_bits();
                sign_magnitude(bits & sign != 0, u64::from(bits & !sign))
            }

            fn from_ordinal(ordinal: i64) -> Self {
                let magnitude = <$ty>::from_bits(ordinal.unsigned_abs() as _);
                if ordinal < 0 { -magnitude } else { magnitude }
            }
        }
    )*};
}
ieee!(f32: 23, f64: 52, f16: 10, bf16: 7);

macro_rules! small {
    ($($ty:ty: $format:expr),*) => {$(
        impl Ordinal for $ty {
            const MANTISSA_BITS: u32 = $format.mantissa_bits;

            fn ordinal(self) -> i64 {
                let Format { exponent_bits, mantissa_bits, .. } = $format;
                let sign = 1_u8 << (exponent_bits + mantissa_bits);
                sign_magnitude(self.0 & sign != 0, u64::from(self.0 & (sign - 1)))
            }

            fn from_ordinal(ordinal: i64) -> Self {
                let Format { exponent_bits, mantissa_bits, .. } = $format;
                let sign = if ordinal < 0 { 1_u8 << (exponent_bits + mantissa_bits) } else { 0 };
                Self(ordinal.unsigned_abs() as u8 | sign)
            }
        }
    )*};
}
small!(
    F8E4M3Fn: minifloat::E4M3FN,
    F8E4M3Fnuz: minifloat::E4M3FNUZ,
    F8E5M2: minifloat::E5M2,
    F8E5M2Fnuz: minifloat::E5M2FNUZ,
    F4E2M1: minifloat::E2M1,
    F6E2M3: minifloat::E2M3,
    F6E3M2: minifloat::E3M2
);

impl Ordinal for F8E8M0 {
    const MANTISSA_BITS: u32 = 0;

    fn ordinal(self) -> i64 {
        i64::from(self.0)
    }

    fn from_ordinal(ordinal: i64) -> Self {
        F8E8M0(ordinal as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Ordinal>(a: T, b: T, distance: f64) {
        assert_eq!(ulp_distance(a, b), distance);
        assert_eq!(ulp_distance(b, a), distance);
    }

    /// The definition, for every pair of values of a format of at most 8 bits: the number of steps between
    /// them in the sorted list of all values.
    fn check_all<T: Ordinal>(patterns: u16, of: impl Fn(u8) -> T, value: impl Fn(T) -> f64) {
        let numbers = (0..patterns)
            .map(|bits| of(bits as u8))
            .filter(|x| !value(*x).is_nan());
        let numbers: Vec<T> = numbers.collect();
        let mut places: Vec<f64> = numbers.iter().map(|x| value(*x)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup_by(|a, b| a == b);
        let place = |x: T| places.partition_point(|&known| known < value(x)) as f64;
        for &a in &numbers {
            assert!(value(T::from_ordinal(a.ordinal())) == value(a));
            for &b in &numbers {
                assert_eq!(
                    ulp_distance(a, b),
                    (place(a) - place(b)).abs(),
                    "{} {}",
                    value(a),
                    value(b)
                );
            }
        }
    }

    #[test]
    fn every_pair_of_narrow_values_has_the_defined_distance() {
        check_all(256, F8E4M3Fn, F8E4M3Fn::to_f64);
        check_all(256, F8E4M3Fnuz, F8E4M3Fnuz::to_f64);
        check_all(256, F8E5M2, F8E5M2::to_f64);
        check_all(256, F8E5M2Fnuz, F8E5M2Fnuz::to_f64);
        check_all(256, F8E8M0, F8E8M0::to_f64);
        check_all(64, F6E2M3, F6E2M3::to_f64);
        check_all(64, F6E3M2, F6E3M2::to_f64);
        check_all(16, F4E2M1, F4E2M1::to_f64);
    }

    #[test]
    fn distances_count_the_values_between() {
        check(0.0_f32, -0.0, 0.0);
        check(0.0_f32, f32::from_bits(1), 1.0);
        check(-f32::from_bits(1), f32::from_bits(1), 2.0);
        check(1.0_f32, 1.0_f32.next_down(), 1.0);
        check(2.0_f64, 2.0_f64.next_up(), 1.0);
        check(f32::MAX, f32::INFINITY, 1.0);
        check(f64::MIN, f64::MAX, 2.0 * (0x7fef_ffff_ffff_ffff_u64 as f64));
        check(f16::from_bits(0x3c00), f16::from_bits(0x3bff), 1.0);
        check(bf16::from_bits(0x8001), bf16::from_bits(0x0001), 2.0);
        check(F8E4M3Fn(0x80), F8E4M3Fn(0x00), 0.0);
        check(F8E5M2(0x81), F8E5M2(0x01), 2.0);
        check(F4E2M1(0b1111), F4E2M1(0b0111), 14.0);
        check(F8E8M0(0), F8E8M0(254), 254.0);
    }
}
