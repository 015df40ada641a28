//! The numbers in which coordinates and weights are computed: f64, and for images of integers pairs of f64.
//!
//! An interpolated integer is truncated, so that a result just below an integer would lose 1. Every
//! coordinate and weight is rational, and a pair has 106 bits: an exact result that is an integer is
//! recognised by its distance from it, which is far below that of any other result of extents and scales
//! that a model has.

use std::ops::{Add, Div, Mul, Sub};

use onnx_tensor::{DType, Tensor};

use super::super::numbers::{floats, from_floats, from_ints, int_range, ints};
use crate::error::Problem;

/// A real number with arithmetic.
pub trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + From<f64>
{
    /// The nearest f64.
    fn near(self) -> f64;

    /// The greatest integer that is not greater; the number has less than 63 bits.
    fn floor(self) -> i64;

    /// Returns the elements of a tensor.
    fn elements(tensor: &Tensor) -> Result<Vec<Self>, Problem>;

    /// Makes a tensor of the type of `like`. Floats are rounded once, integers truncated and clamped.
    fn tensor(like: &Tensor, shape: &[usize], values: Vec<Self>) -> Result<Tensor, Problem>;

    fn abs(self) -> Self {
        if self < Self::from(0.0) {
            Self::from(0.0) - self
        } else {
            self
        }
    }

    fn max(self, other: Self) -> Self {
        if self < other { other } else { self }
    }

    fn clamp(self, low: f64, high: f64) -> Self {
        let (low, high) = (Self::from(low), Self::from(high));
        match self {
            number if number < low => low,
            number if number > high => high,
            number => number,
        }
    }
}

impl Number for f64 {
    fn near(self) -> f64 {
        self
    }

    fn floor(self) -> i64 {
        // Without a call where the processor has no instruction for it.
        let whole = self as i64;
        whole - i64::from(whole as f64 > self)
    }

    fn elements(tensor: &Tensor) -> Result<Vec<f64>, Problem> {
        floats(tensor)
    }

    fn tensor(like: &Tensor, shape: &[usize], values: Vec<f64>) -> Result<Tensor, Problem> {
        from_floats(like.dtype(), shape, values)
    }
}

/// The unevaluated sum of two f64, of which the second is at most half a unit in the last place of the first.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Pair(f64, f64);

impl Pair {
    /// Returns a + b, where |a| ≥ |b|.
    fn of_ordered(a: f64, b: f64) -> Pair {
        let sum = a + b;
        Pair(sum, b - (sum - a))
    }

    /// Returns a + b (Knuth).
    fn of_sum(a: f64, b: f64) -> Pair {
        let sum = a + b;
        let second = sum - a;
        Pair(sum, (a - (sum - second)) + (b - second))
    }

    /// Returns an integer of at most 64 bits.
    fn of_int(value: i128) -> Pair {
        let near = value as f64;
        Pair(near, (value - near as i128) as f64)
    }

    /// Returns the number truncated toward zero, or the nearest integer if it is nearer than `reach`.
    fn truncated(self, reach: f64) -> i128 {
        let whole = self.0.round();
        let Pair(beyond, rest) = self - Pair(whole, 0.0);
        let (nearest, beyond) = match beyond.round() {
            0.0 => (whole as i128, beyond + rest),
            more => (whole as i128 + more as i128, (beyond - more) + rest),
        };
        match beyond {
            beyond if beyond.abs() <= reach => nearest,
            beyond if nearest > 0 && beyond < 0.0 => nearest - 1,
            beyond if nearest < 0 && beyond > 0.0 => nearest + 1,
            _ => nearest,
        }
    }
}

impl From<f64> for Pair {
    fn from(number: f64) -> Pair {
        Pair(number, 0.0)
    }
}

impl Add for Pair {
    type Output = Pair;

    fn add(self, other: Pair) -> Pair {
        let (high, low) = (Pair::of_sum(self.0, other.0), Pair::of_sum(self.1, other.1));
        let sum = Pair::of_ordered(high.0, high.1 + low.0);
        Pair::of_ordered(sum.0, sum.1 + low.1)
    }
}

impl Sub for Pair {
    type Output = Pair;

    fn sub(self, other: Pair) -> Pair {
        self + Pair(-other.0, -other.1)
    }
}

impl Mul for Pair {
    type Output = Pair;

    fn mul(self, other: Pair) -> Pair {
        let product = self.0 * other.0;
        let rest = self.0.mul_add(other.0, -product);
        Pair::of_ordered(product, rest + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Pair {
    type Output = Pair;

    fn div(self, other: Pair) -> Pair {
        let first = self.0 / other.0;
        let rest = self - other * Pair::from(first);
        let second = rest.0 / other.0;
        let rest = rest - other * Pair::from(second);
        Pair::of_ordered(first, second) + Pair::from(rest.0 / other.0)
    }
}

impl Number for Pair {
    fn near(self) -> f64 {
        self.0
    }

    fn floor(self) -> i64 {
        let whole = self.0.floor();
        whole as i64 - i64::from(whole == self.0 && self.1 < 0.0)
    }

    fn elements(tensor: &Tensor) -> Result<Vec<Pair>, Problem> {
        Ok(ints(tensor)?.into_iter().map(Pair::of_int).collect())
    }

    fn tensor(like: &Tensor, shape: &[usize], values: Vec<Pair>) -> Result<Tensor, Problem> {
        let (least, most) = int_range(like.dtype()).unwrap_or((i128::MIN, i128::MAX));
        // The errors of weights and sums are below 2⁻⁹⁵ of the greatest element.
        let greatest = ints(like)?.into_iter().map(i128::unsigned_abs).max().unwrap_or(0);
        let reach = (greatest.max(1) as f64) * (-88_f64).exp2();
        let whole = values
            .into_iter()
            .map(|value| value.truncated(reach).clamp(least, most));
        from_ints(like.dtype(), shape, whole.collect())
    }
}

/// Whether values of a type are interpolated in [`Pair`]s.
pub fn is_paired(dtype: DType) -> bool {
    dtype.is_integer()
}

#[cfg(test)]
mod tests {
    use super::{Number, Pair};

    #[test]
    fn thirds_of_integers_are_integers_again() {
        for whole in [
            1,
            2,
            200,
            -7,
            i128::from(i64::MAX),
            i128::from(u64::MAX),
            -(1 << 63),
        ] {
            let third = Pair::from(1.0) / Pair::from(3.0);
            let value = Pair::of_int(whole);
            let sum = value * third + value * (Pair::from(1.0) - third);
            let reach = whole.unsigned_abs() as f64 * (-88_f64).exp2();
            assert_eq!(sum.truncated(reach), whole);
        }
    }

    #[test]
    fn other_numbers_are_truncated() {
        for (numerator, denominator, expected) in [
            (7.0, 2.0, 3),
            (-7.0, 2.0, -3),
            (1.0, 3.0, 0),
            (-1.0, 3.0, 0),
            (5.0, 3.0, 1),
            (-5.0, 3.0, -1),
        ] {
            let value = Pair::from(numerator) / Pair::from(denominator);
            assert_eq!(
                value.truncated((-88_f64).exp2()),
                expected,
                "{numerator} / {denominator}"
            );
        }
        let below = Pair::of_int(1 << 60) - Pair::from((-20_f64).exp2());
        assert_eq!(below.truncated((-28_f64).exp2()), (1 << 60) - 1);
    }

    #[test]
    fn floors_regard_the_second_part() {
        let above = Pair::from(3.0) + Pair::from(1e-25);
        let below = Pair::from(3.0) - Pair::from(1e-25);
        assert_eq!((above.floor(), below.floor()), (3, 2));
    }
}
