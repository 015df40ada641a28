//! The number types in which coordinates and weights are computed.
//!
//! A coordinate that selects an element, and a weighted sum that becomes an integer, must not be rounded
//! on the way: one ULP below 3 is 2 when it is truncated. [`BigRational`] has no rounding. It represents
//! every finite float and every quotient of them.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Num, ToPrimitive};

/// A float, or a rational number of any size.
pub trait Number: Clone + PartialOrd + Num {
    /// `value`, rounded only if the type is f32. It must be finite.
    fn of(value: f64) -> Self;
    /// The largest integer that is not above the number.
    fn floor(&self) -> Self;
    /// The smallest integer that is not below the number.
    fn ceil(&self) -> Self;
    /// The nearest integer; of two, the even one.
    fn round_ties_even(&self) -> Self;
    /// The remainder of the division by `modulus` > 0, in [0, modulus).
    fn rem_euclid(&self, modulus: &Self) -> Self;
    /// The number as an index: fractions are dropped, numbers out of range are the nearest index.
    fn index(&self) -> usize;

    fn magnitude(self) -> Self {
        if self < Self::zero() {
            Self::zero() - self
        } else {
            self
        }
    }

    /// The nearest number from `low` to `high`.
    fn clamped(self, low: &Self, high: &Self) -> Self {
        if self < *low {
            low.clone()
        } else if self > *high {
            high.clone()
        } else {
            self
        }
    }
}

macro_rules! float {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            fn of(value: f64) -> Self {
                value as $ty
            }
            fn floor(&self) -> Self {
                <$ty>::floor(*self)
            }
            fn ceil(&self) -> Self {
                <$ty>::ceil(*self)
            }
            fn round_ties_even(&self) -> Self {
                <$ty>::round_ties_even(*self)
            }
            fn rem_euclid(&self, modulus: &Self) -> Self {
                <$ty>::rem_euclid(*self, *modulus)
            }
            fn index(&self) -> usize {
                *self as usize
            }
        }
    )*};
}

float!(f32 f64);

impl Number for BigRational {
    /// A number that is not finite is 0: callers refuse it before.
    fn of(value: f64) -> Self {
        BigRational::from_float(value).unwrap_or_else(|| BigRational::from_integer(BigInt::ZERO))
    }
    fn floor(&self) -> Self {
        BigRational::floor(self)
    }
    fn ceil(&self) -> Self {
        BigRational::ceil(self)
    }
    fn round_ties_even(&self) -> Self {
        BigRational::from_integer(rounded(self.numer(), self.denom()))
    }
    fn rem_euclid(&self, modulus: &Self) -> Self {
        self - (self / modulus).floor() * modulus
    }
    fn index(&self) -> usize {
        let whole = self.to_integer();
        whole
            .to_usize()
            .unwrap_or(if whole < BigInt::ZERO { 0 } else { usize::MAX })
    }
}

/// `numerator / denominator` as the nearest integer; of two, the even one. The denominator is positive.
pub fn rounded<W: num_integer::Integer + Clone>(numerator: &W, denominator: &W) -> W {
    let (below, rest) = numerator.div_mod_floor(denominator);
    let doubled = rest.clone() + rest;
    match doubled.cmp(denominator) {
        std::cmp::Ordering::Less => below,
        std::cmp::Ordering::Equal if below.is_even() => below,
        _ => below + W::one(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rational numbers round as floats do where floats are exact.
    #[test]
    fn rationals_round_as_floats() {
        for quarters in -9..=9 {
            let float = f64::from(quarters) / 4.0;
            let exact = BigRational::of(float);
            let same = |exact: BigRational, float: f64| assert_eq!(exact, BigRational::of(float), "{float}");
            same(Number::floor(&exact), float.floor());
            same(Number::ceil(&exact), float.ceil());
            same(Number::round_ties_even(&exact), float.round_ties_even());
            same(exact.rem_euclid(&BigRational::of(1.5)), float.rem_euclid(1.5));
            same(exact.clone().magnitude(), float.abs());
            assert_eq!(exact.index(), Number::index(&float), "{float}");
        }
    }
}
