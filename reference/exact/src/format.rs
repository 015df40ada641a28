//! Binary formats, and rounding to them.

use astro_float_num::{BigFloat, Sign};

/// A binary format: its finite numbers are multiples of 2^`least_exponent` with at most `precision`
/// bits, below 2^`greatest_exponent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    pub name: &'static str,
    /// Bits of a significand.
    pub precision: i32,
    /// The exponent of the least subnormal number.
    pub least_exponent: i32,
    /// The exponent of the least power of two beyond the format.
    pub greatest_exponent: i32,
}

/// IEEE 754 binary16.
pub const F16: Format = Format {
    name: "float16",
    precision: 11,
    least_exponent: -24,
    greatest_exponent: 16,
};
/// bfloat16.
pub const BF16: Format = Format {
    name: "bfloat16",
    precision: 8,
    least_exponent: -133,
    greatest_exponent: 128,
};
/// IEEE 754 binary32.
pub const F32: Format = Format {
    name: "float",
    precision: 24,
    least_exponent: -149,
    greatest_exponent: 128,
};
/// IEEE 754 binary64.
pub const F64: Format = Format {
    name: "double",
    precision: 53,
    least_exponent: -1074,
    greatest_exponent: 1024,
};

impl Format {
    /// Rounds `exact` to nearest, ties to even; an infinity beyond the greatest number. The result
    /// is exact in f64.
    pub fn round(&self, exact: &BigFloat) -> f64 {
        if exact.is_nan() {
            return f64::NAN;
        }
        let negative = exact.sign() == Some(Sign::Neg);
        let signed = |magnitude: f64| if negative { -magnitude } else { magnitude };
        if exact.is_inf() {
            return signed(f64::INFINITY);
        }
        let Some((words, _, _, exponent, _)) = exact.as_raw_parts() else {
            return signed(0.0);
        };
        if exact.is_zero() {
            return signed(0.0);
        }
        // The value is 0.m · 2^exponent; the last word is the most significant one, and its leading
        // bit is set.
        let leading = words.last().copied().unwrap_or_default();
        let rest = words.iter().rev().skip(1).any(|word| *word != 0);
        signed(self.round_parts(leading, rest, exponent))
    }

    /// Rounds an f64 in the same way.
    pub fn round_f64(&self, value: f64) -> f64 {
        if value == 0.0 || !value.is_finite() {
            return value;
        }
        if *self == F32 {
            // The conversion of the processor rounds in the same way.
            return f64::from(value as f32);
        }
        let (significand, exponent) = libm::frexp(value.abs());
        // 2^64 · significand, which has 53 bits, is whole.
        let leading = libm::ldexp(significand, 64) as u64;
        self.round_parts(leading, false, exponent).copysign(value)
    }

    /// Rounds (0.leading…) · 2^exponent; `rest` is true if a bit after the first 64 is set.
    fn round_parts(&self, leading: u64, rest: bool, exponent: i32) -> f64 {
        let unit = (exponent - self.precision).max(self.least_exponent);
        let kept = exponent - unit;
        if kept < 0 {
            // Below half of the least number.
            return 0.0;
        }
        let (whole, below) = match kept {
            0 => (0, leading),
            kept => (leading >> (64 - kept), leading << kept),
        };
        const HALF: u64 = 1 << 63;
        let up = below > HALF || below == HALF && (rest || whole & 1 == 1);
        let rounded = libm::ldexp((whole + u64::from(up)) as f64, unit);
        if rounded >= libm::ldexp(1.0, self.greatest_exponent - 1) * 2.0 {
            f64::INFINITY
        } else {
            rounded
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    /// The conversion of the processor and the rounding of 320 bits agree, at ties, subnormal numbers and
    /// beyond the greatest number as well.
    #[test]
    fn float_is_rounded_as_by_the_processor() {
        for bits in (0..0x7FF0_0000_0000_0000_u64).step_by(0x0000_0007_FFFF_F001 << 12) {
            for tie in [bits, bits & !0x3FFF_FFFF | 0x1000_0000, bits & !0x1FFF_FFFF] {
                let value = f64::from_bits(tie);
                assert_eq!(F32.round_f64(value), F32.round(&number(value)), "{value}");
            }
        }
    }

    /// Values computed by hand, for both functions.
    #[test]
    fn numbers_are_rounded_to_nearest_and_ties_to_even() {
        let check = |format: Format, value: f64, expected: f64| {
            for found in [format.round_f64(value), format.round(&number(value))] {
                assert_eq!(
                    found.to_bits(),
                    expected.to_bits(),
                    "{value} in {}: {found}",
                    format.name
                );
            }
        };
        check(F16, 2049.0, 2048.0);
        check(F16, 2051.0, 2052.0);
        check(F16, 65519.0, 65504.0);
        check(F16, 65520.0, f64::INFINITY);
        check(F16, -65520.0, f64::NEG_INFINITY);
        check(F16, 2.0_f64.powi(-25), 0.0);
        check(F16, 2.0_f64.powi(-25) * 1.0000001, 2.0_f64.powi(-24));
        check(F16, -(2.0_f64.powi(-26)), -0.0);
        check(F16, 3.0 * 2.0_f64.powi(-25), 2.0_f64.powi(-23));
        check(BF16, 1.0 + 2.0_f64.powi(-8), 1.0);
        check(BF16, 1.0 + 3.0 * 2.0_f64.powi(-8), 1.0 + 2.0_f64.powi(-6));
        check(F32, 1e39, f64::INFINITY);
        check(F32, 16_777_217.0, 16_777_216.0);
        check(F64, f64::MAX, f64::MAX);
        check(F64, 5e-324, 5e-324);
    }

    /// Every value of f16 rounds to itself.
    #[test]
    fn numbers_of_the_format_stay() {
        for bits in 0..0x7C00_u32 {
            let (field, mantissa) = (bits >> 10, bits & 0x3FF);
            let value = match field {
                0 => f64::from(mantissa) * 2.0_f64.powi(-24),
                field => f64::from(mantissa + 0x400) * 2.0_f64.powi(field as i32 - 25),
            };
            assert_eq!(F16.round_f64(value), value);
        }
    }
}
