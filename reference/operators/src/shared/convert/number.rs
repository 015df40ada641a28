//! The exact number between two element types of a conversion.

use std::cmp::Ordering;

use onnx_tensor::minifloat::round_to_odd;

/// A number during a conversion between element types.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An integer, exact.
    Integer(i128),
    /// A real number, represented by two roundings to f64.
    Real {
        /// Rounded to nearest: the value as a double.
        nearest: f64,
        /// Rounded to odd ([`round_to_odd`]): the source for rounding to every narrower format.
        odd: f64,
    },
}

/// How a real number becomes an integer. An integer keeps its low bits under all rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Whole {
    /// Whether it is rounded to nearest, ties to even; otherwise truncated toward zero.
    pub rounds: bool,
    /// Whether it becomes the nearest value of the type if it is out of range.
    pub saturates: bool,
}

/// 2¹²⁷. Above it f64 holds only multiples of 2⁷⁴, which have no bit in the range of any integer type.
const BEYOND_I128: f64 = 1.701_411_834_604_692_3e38;

impl Number {
    /// A real number that f64 holds exactly.
    pub fn real(value: f64) -> Number {
        Number::Real {
            nearest: value,
            odd: value,
        }
    }

    /// As a double, rounded to nearest.
    pub fn nearest(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Real { nearest, .. } => nearest,
        }
    }

    /// As a double, rounded to odd.
    pub fn odd(self) -> f64 {
        match self {
            Number::Integer(value) => {
                let nearest = value as f64;
                // Saturates at 2¹²⁷ − 1, which no source integer reaches.
                let back = nearest as i128;
                round_to_odd(nearest, value.unsigned_abs().cmp(&back.unsigned_abs()))
            }
            Number::Real { odd, .. } => odd,
        }
    }

    /// As an integer of a type from `least` to `greatest`, exact modulo 2⁶⁴; 0 for NaN. Without saturation
    /// also 0 for Inf.
    pub fn whole(self, rules: Whole, least: i128, greatest: i128) -> i128 {
        let real = match self {
            Number::Integer(value) => return value,
            Number::Real { odd, .. } if rules.rounds => odd.round_ties_even(),
            Number::Real { odd, .. } => odd.trunc(),
        };
        if rules.saturates {
            (real as i128).clamp(least, greatest)
        } else if real.abs() < BEYOND_I128 {
            real as i128
        } else {
            0
        }
    }

    /// Whether this is zero. NaN is not zero.
    pub fn is_zero(self) -> bool {
        match self {
            Number::Integer(value) => value == 0,
            Number::Real { odd, .. } => odd == 0.0,
        }
    }

    /// Whether both are the same number.
    pub fn is(self, other: Number) -> bool {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => a == b,
            _ => {
                self.nearest() == self.odd()
                    && other.nearest() == other.odd()
                    && self.nearest().partial_cmp(&other.nearest()) == Some(Ordering::Equal)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An integer that f64 cannot represent is rounded to an odd neighbour; one that it can represent stays
    /// unchanged.
    #[test]
    fn integers_are_rounded_to_odd() {
        let cases: [(i128, f64); 5] = [
            (1 << 60, 2_f64.powi(60)),
            ((1 << 60) + 1, 2_f64.powi(60).next_up()),
            ((1 << 60) - 1, 2_f64.powi(60).next_down()),
            (-(1 << 60) - 1, -2_f64.powi(60).next_up()),
            (-(1 << 60) + 1, -2_f64.powi(60).next_down()),
        ];
        for (value, odd) in cases {
            assert_eq!(Number::Integer(value).odd(), odd, "{value}");
        }
    }
}
