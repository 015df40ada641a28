//! Transcendental functions in 320 bits, where the integer part of the result decides.
//!
//! A value in f64 decides on which side of an integer it lies unless it is close to one. Then, and where
//! f64 has no fraction left, the value is computed again in 320 bits. A value that is an integer in all
//! 320 bits is that integer: callers treat arguments whose result is exact by arithmetic on integers.

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use crate::frame::OpError;

const BITS: usize = 320;
const NEAREST: RoundingMode = RoundingMode::ToEven;

/// Evaluates formulas in 320 bits. Create one for a tensor: it keeps constants such as ln 2.
pub struct Wide {
    constants: Consts,
}

impl Wide {
    pub fn new() -> Result<Wide, OpError> {
        Consts::new()
            .map(|constants| Wide { constants })
            .map_err(|error| OpError::invalid(format!("constants in {BITS} bits: {error}")))
    }

    pub fn number(value: f64) -> BigFloat {
        BigFloat::from_f64(value, BITS)
    }

    pub fn integer(value: i128) -> BigFloat {
        BigFloat::from_i128(value, BITS)
    }

    pub fn add(a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.add(b, BITS, NEAREST)
    }

    pub fn sub(a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.sub(b, BITS, NEAREST)
    }

    pub fn mul(a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.mul(b, BITS, NEAREST)
    }

    pub fn div(a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.div(b, BITS, NEAREST)
    }

    pub fn exp(&mut self, x: &BigFloat) -> BigFloat {
        x.exp(BITS, NEAREST, &mut self.constants)
    }

    pub fn ln(&mut self, x: &BigFloat) -> BigFloat {
        x.ln(BITS, NEAREST, &mut self.constants)
    }

    /// x^y for x > 0, as e^(y·ln x): the power of the library does not end where the result is exact.
    pub fn pow(&mut self, x: &BigFloat, y: &BigFloat) -> BigFloat {
        let exponent = Wide::mul(y, &self.ln(x));
        self.exp(&exponent)
    }

    /// The largest integer that is not above a value. `approximation` has a relative error below 2⁻⁴⁰,
    /// `exact` computes the value in 320 bits. A value that is not finite or beyond 128 bits is `None`.
    pub fn floor(&mut self, approximation: f64, exact: impl FnOnce(&mut Self) -> BigFloat) -> Option<i128> {
        let margin = approximation.abs().max(1.0) * 2_f64.powi(-40);
        if approximation.is_finite() && (approximation - approximation.round()).abs() > margin {
            return Some(approximation.floor() as i128);
        }
        floor(&exact(self))?.to_i128()
    }
}

/// The largest integer that is not above `value`, read from its mantissa and exponent.
fn floor(value: &BigFloat) -> Option<BigInt> {
    let (words, _, sign, exponent, _) = value.as_raw_parts()?;
    let whole = words
        .iter()
        .rev()
        .fold(BigInt::zero(), |sum, &word| (sum << 64_u32) + BigInt::from(word));
    // The value is the mantissa, read as a fraction, times 2^exponent.
    let drop = i64::try_from(64 * words.len()).ok()? - i64::from(exponent);
    let signed = if sign == Sign::Neg { -whole } else { whole };
    match u32::try_from(drop) {
        // An arithmetic shift of a signed integer rounds down.
        Ok(drop) => Some(signed >> drop),
        Err(_) if drop.unsigned_abs() <= 1024 => Some(signed * (BigInt::one() << drop.unsigned_abs())),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_of_exact_numbers() {
        for value in [
            0.0,
            0.25,
            1.0,
            1.75,
            -0.25,
            -1.0,
            -1.5,
            2_f64.powi(80),
            -2_f64.powi(-80),
        ] {
            let found = floor(&Wide::number(value)).and_then(|floor| floor.to_i128());
            assert_eq!(found, Some(value.floor() as i128), "{value}");
        }
    }

    /// e⁴³ is 4727839468229346561.47…: its logarithm rounds to 43 in f64, as do those of its neighbours.
    #[test]
    fn f64_does_not_decide_next_to_an_integer() {
        let mut wide = Wide::new().unwrap();
        for (n, expected) in [
            (4_727_839_468_229_346_561_i128, 42),
            (4_727_839_468_229_346_562, 43),
        ] {
            let floor = wide.floor((n as f64).ln(), |wide| wide.ln(&Wide::integer(n)));
            assert_eq!(floor, Some(expected), "{n}");
        }
    }
}
