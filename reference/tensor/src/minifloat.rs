//! Rounding of a real number to a narrow binary format, and the conversion back.
//!
//! One algorithm serves every format below f32. A value is rounded once, to nearest, ties to even, directly
//! from f64. (`half` converts f64 to f16 through f32 on some processors, which rounds twice.)
//! Formats: IEEE 754-2019 binary16; bfloat16; FP8 of Micikevicius et al., "FP8 Formats for Deep Learning"
//! (E4M3FN, E5M2), and of Noune et al., "8-bit Numerical Formats for Deep Neural Networks" (the FNUZ forms);
//! E2M1, E2M3, E3M2 and E8M0 of the OCP Microscaling Formats specification 1.0.

use std::cmp::Ordering;

/// How a format encodes Inf and NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Specials {
    /// The highest exponent encodes Inf (mantissa 0) and NaN, as in IEEE 754.
    Ieee,
    /// No Inf; only the all-ones pattern (with either sign) is NaN.
    FiniteNan,
    /// No Inf and no −0; the pattern of −0 is NaN.
    Fnuz,
    /// Neither Inf nor NaN.
    FiniteOnly,
}

/// A format of at most 16 bits with sign, exponent and mantissa.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bits of the exponent field.
    pub exponent_bits: u32,
    /// Bits of the mantissa field.
    pub mantissa_bits: u32,
    /// The bias of the exponent field.
    pub bias: i32,
    /// How Inf and NaN are encoded.
    pub specials: Specials,
}

/// The result for a value that is too large for the format (ONNX `Cast`, attribute `saturate`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// The largest finite value, for Inf as well.
    Saturate,
    /// Inf if the format has one, else NaN if it has one, else the largest finite value.
    Special,
}

/// IEEE 754 binary16.
pub const F16: Format = Format::new(5, 10, 15, Specials::Ieee);
/// bfloat16: the upper half of binary32.
pub const BF16: Format = Format::new(8, 7, 127, Specials::Ieee);
/// FP8 E4M3 with NaN and without Inf.
pub const E4M3FN: Format = Format::new(4, 3, 7, Specials::FiniteNan);
/// FP8 E4M3 with NaN, without Inf and −0.
pub const E4M3FNUZ: Format = Format::new(4, 3, 8, Specials::Fnuz);
/// FP8 E5M2 with Inf and NaN, as in IEEE 754.
pub const E5M2: Format = Format::new(5, 2, 15, Specials::Ieee);
/// FP8 E5M2 with NaN, without Inf and −0.
pub const E5M2FNUZ: Format = Format::new(5, 2, 16, Specials::Fnuz);
/// FP4 E2M1.
pub const E2M1: Format = Format::new(2, 1, 1, Specials::FiniteOnly);
/// FP6 E2M3.
pub const E2M3: Format = Format::new(2, 3, 1, Specials::FiniteOnly);
/// FP6 E3M2.
pub const E3M2: Format = Format::new(3, 2, 3, Specials::FiniteOnly);

impl Format {
    const fn new(exponent_bits: u32, mantissa_bits: u32, bias: i32, specials: Specials) -> Self {
        Format {
            exponent_bits,
            mantissa_bits,
            bias,
            specials,
        }
    }

    const fn sign_bit(self) -> u16 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    /// The pattern of the largest finite value.
    pub const fn max_finite(self) -> u16 {
        let all_ones = self.sign_bit() - 1;
        match self.specials {
            Specials::Ieee => all_ones - (1 << self.mantissa_bits),
            Specials::FiniteNan => all_ones - 1,
            Specials::Fnuz | Specials::FiniteOnly => all_ones,
        }
    }

    /// The pattern for NaN. The specification defines none for formats without NaN; they use the pattern of
    /// ml_dtypes: a zero of the opposite sign.
    pub const fn nan(self, negative: bool) -> u16 {
        let sign = if negative { self.sign_bit() } else { 0 };
        match self.specials {
            Specials::Ieee => sign | (self.max_finite() + 1) | (1 << (self.mantissa_bits - 1)),
            Specials::FiniteNan => sign | (self.max_finite() + 1),
            Specials::Fnuz => self.sign_bit(),
            Specials::FiniteOnly => self.sign_bit() ^ sign,
        }
    }

    fn overflow(self, negative: bool, overflow: Overflow) -> u16 {
        let sign = if negative { self.sign_bit() } else { 0 };
        match (overflow, self.specials) {
            (Overflow::Special, Specials::Ieee) => sign | (self.max_finite() + 1),
            (Overflow::Special, Specials::FiniteNan | Specials::Fnuz) => self.nan(negative),
            _ => sign | self.max_finite(),
        }
    }

    /// Returns the pattern nearest to `value`, ties to even.
    pub fn encode(self, value: f64, overflow: Overflow) -> u16 {
        let negative = value.is_sign_negative();
        if value.is_nan() {
            return self.nan(negative);
        }
        if value.is_infinite() {
            return self.overflow(negative, overflow);
        }
        let magnitude = value.abs();
        let smallest_exponent = 1 - self.bias;
        let exponent = floor_log2(magnitude).max(smallest_exponent);
        // Scaling by a power of two is exact: the significand does not change, and the result is a normal
        // f64.
        let steps = (magnitude * exp2(self.mantissa_bits as i32 - exponent)).round_ties_even() as u64;
        let implicit = 1_u64 << self.mantissa_bits;
        let code = if steps < implicit {
            steps
        } else {
            // A carry out of the mantissa increments the exponent field, which is the correct result of
            // rounding up to 2^(e+1).
            (((exponent + self.bias) as u64) << self.mantissa_bits) + (steps - implicit)
        };
        if code > u64::from(self.max_finite()) {
            return self.overflow(negative, overflow);
        }
        let code = code as u16;
        match (negative, self.specials, code) {
            (true, Specials::Fnuz, 0) => 0,
            (true, ..) => self.sign_bit() | code,
            (false, ..) => code,
        }
    }

    /// Returns the value of a pattern, exactly.
    pub fn decode(self, bits: u16) -> f64 {
        let negative = bits & self.sign_bit() != 0;
        let code = bits & (self.sign_bit() - 1);
        if self.specials == Specials::Fnuz && negative && code == 0 {
            return f64::NAN;
        }
        let magnitude = if code > self.max_finite() {
            let infinite = self.specials == Specials::Ieee && code == self.max_finite() + 1;
            if infinite { f64::INFINITY } else { f64::NAN }
        } else {
            let mantissa = f64::from(code & ((1 << self.mantissa_bits) - 1));
            let field = i32::from(code >> self.mantissa_bits);
            let implicit = if field == 0 {
                0.0
            } else {
                f64::from(1_u16 << self.mantissa_bits)
            };
            (implicit + mantissa) * exp2(field.max(1) - self.bias - self.mantissa_bits as i32)
        };
        if negative { -magnitude } else { magnitude }
    }
}

/// Rounds a real number that f64 cannot represent to odd. Rounding the result once more, to any format of at
/// most 51 bits, is the same as rounding the real number itself (Boldo and Melquiond, "Emulation of FMA and
/// correctly rounded sums: proved algorithms using rounding to odd", 2008).
///
/// `nearest` is the number rounded to nearest. `magnitude` compares the magnitude of the number with that of
/// `nearest`.
pub fn round_to_odd(nearest: f64, magnitude: Ordering) -> f64 {
    let bits = nearest.to_bits();
    match magnitude {
        Ordering::Equal => nearest,
        Ordering::Greater => f64::from_bits(bits | 1),
        Ordering::Less => f64::from_bits(bits.saturating_sub(1) | 1),
    }
}

/// 2^exponent, exact; `exponent` must be in the normal range of f64.
pub fn exp2(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// ⌊log₂ x⌋ of a normal positive f64; −1023 for zero and subnormals, 1024 for Inf.
pub(crate) fn floor_log2(magnitude: f64) -> i32 {
    ((magnitude.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Format; 9] = [F16, BF16, E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ, E2M1, E2M3, E3M2];

    #[test]
    fn every_pattern_survives_a_round_trip() {
        for format in ALL {
            for bits in 0..(u32::from(format.sign_bit()) * 2) {
                let bits = bits as u16;
                let value = format.decode(bits);
                if !value.is_nan() {
                    assert_eq!(
                        format.encode(value, Overflow::Special),
                        bits,
                        "{format:?} {bits:#x}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_midpoint_goes_to_the_even_neighbour() {
        for format in ALL {
            for bits in 0..format.max_finite() {
                let (low, high) = (format.decode(bits), format.decode(bits + 1));
                let middle = low + (high - low) / 2.0;
                let even = if bits % 2 == 0 { bits } else { bits + 1 };
                assert_eq!(
                    format.encode(middle, Overflow::Special),
                    even,
                    "{format:?} {bits:#x}"
                );
                assert_eq!(
                    format.encode(middle.next_up(), Overflow::Special),
                    bits + 1,
                    "{format:?} {bits:#x}"
                );
                assert_eq!(
                    format.encode(middle.next_down(), Overflow::Special),
                    bits,
                    "{format:?} {bits:#x}"
                );
            }
        }
    }

    #[test]
    fn half_agrees_on_decoding() {
        for bits in 0..=u16::MAX {
            let ours = (F16.decode(bits), BF16.decode(bits));
            let theirs = (
                half::f16::from_bits(bits).to_f64(),
                half::bf16::from_bits(bits).to_f64(),
            );
            assert!(
                ours.0 == theirs.0 || ours.0.is_nan() && theirs.0.is_nan(),
                "{bits:#x}"
            );
            assert!(
                ours.1 == theirs.1 || ours.1.is_nan() && theirs.1.is_nan(),
                "{bits:#x}"
            );
        }
    }
}
