//! float16 and bfloat16: the conversions of [`crate::minifloat`], for the innermost loops.

use crate::{bf16, f16};

/// 2¹¹², by which the bits of a finite f16 that are read as those of an f32 are too small.
const OF_F16: f32 = f32::from_bits(0x7780_0000);

/// Converts exactly.
#[inline]
pub(crate) fn of_f16(value: f16) -> f64 {
    let bits = u32::from(value.to_bits());
    let (magnitude, sign) = ((bits & 0x7FFF) << 13, (bits & 0x8000) << 16);
    let finite = (f32::from_bits(magnitude) * OF_F16).to_bits();
    let special = magnitude | 0x7F80_0000;
    let magnitude = if magnitude < 0x7C00 << 13 { finite } else { special };
    f64::from(f32::from_bits(magnitude | sign))
}

/// Rounds a magnitude to `BITS` bits of precision, to nearest, ties to even, but not below the unit of the
/// numbers at `least`, the smallest normal one.
#[inline]
fn rounded<const BITS: u32>(magnitude: f64, least: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF << 52;
    // In the sum with 1.5 · 2^(exponent + 53 − BITS) the last bit is the unit of the result.
    let exponent = magnitude.max(least).to_bits() & EXPONENT;
    let shift = 1.5 * f64::from_bits(exponent + (u64::from(53 - BITS) << 52));
    (magnitude + shift) - shift
}

/// Rounds once, to nearest, ties to even.
#[inline]
pub(crate) fn to_f16(value: f64) -> f16 {
    let magnitude = value.abs();
    let bits = if magnitude < 65520.0 {
        let exact = rounded::<11>(magnitude, 1.0 / 16384.0) as f32;
        ((exact * (1.0 / OF_F16)).to_bits() >> 13) as u16
    } else if value.is_nan() {
        return f16::NAN;
    } else {
        0x7C00
    };
    f16::from_bits(bits | (u16::from(value.is_sign_negative()) << 15))
}

/// Rounds once, to nearest, ties to even.
#[inline]
pub(crate) fn to_bf16(value: f64) -> bf16 {
    /// 2¹²⁸ − 2¹¹⁹: the tie above the greatest finite number.
    const BEYOND: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0
        - 664_613_997_892_457_936_451_903_530_140_172_288.0;
    let magnitude = value.abs();
    let bits = if magnitude < BEYOND {
        let least = f64::from(f32::MIN_POSITIVE);
        ((rounded::<8>(magnitude, least) as f32).to_bits() >> 16) as u16
    } else if value.is_nan() {
        return bf16::NAN;
    } else {
        0x7F80
    };
    bf16::from_bits(bits | (u16::from(value.is_sign_negative()) << 15))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minifloat::{BF16, F16, Format, Overflow};

    /// Checks every number of a format, the ties between neighbours, and the numbers of f64 next to both.
    fn check(format: Format, bits: fn(f64) -> u16) {
        for pattern in 0..=u16::MAX {
            let (value, next) = (format.decode(pattern), format.decode(pattern.wrapping_add(1)));
            for x in [value, (value + next) / 2.0] {
                for x in [
                    x,
                    f64::from_bits(x.to_bits() ^ 1),
                    f64::from_bits(x.to_bits().wrapping_sub(1)),
                ] {
                    let (found, expected) = (bits(x), format.encode(x, Overflow::Special));
                    let nan = format.decode(found).is_nan() && format.decode(expected).is_nan();
                    assert!(
                        found == expected || nan,
                        "{x:e}: {found:04x} instead of {expected:04x}"
                    );
                }
            }
        }
        for x in [
            f64::MAX,
            f64::MIN_POSITIVE,
            -5e-324,
            65520.0,
            65519.999,
            -1e5,
            3.4e38,
            3.396e38,
        ] {
            assert_eq!(bits(x), format.encode(x, Overflow::Special), "{x:e}");
        }
    }

    #[test]
    fn numbers_and_ties_are_those_of_the_general_routine() {
        check(F16, |x| to_f16(x).to_bits());
        check(BF16, |x| to_bf16(x).to_bits());
        for pattern in 0..=u16::MAX {
            let (found, expected) = (of_f16(f16::from_bits(pattern)), F16.decode(pattern));
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
        }
    }
}
