//! Traits that operators are generic over.
//!
//! [`Element`] is a type that a tensor can hold. [`Real`] is a number with an order; [`Float`] and [`Int`]
//! are its two kinds. [`Accumulate`] defines the precision of sums and products: f16, bf16 and f32 accumulate
//! in f64 (their products are exact there), f64 in double-double, integers in their own type, wrapping.
//!
//! The methods are `#[inline]`, because the innermost loops of other crates call them.

use std::fmt::Debug;

use super::{Array, Tensor};
use crate::{DType, bf16, f16, halves};

/// An element type of a tensor.
pub trait Element: Clone + PartialEq + Debug + Default + Send + Sync + 'static {
    /// The corresponding element type of ONNX.
    const DTYPE: DType;

    /// Makes a tensor from `array`.
    fn wrap(array: Array<Self>) -> Tensor;

    /// Returns the array of `tensor` if its elements have this type.
    fn unwrap(tensor: &Tensor) -> Option<&Array<Self>>;

    /// Whether both values are the same. +0 and −0 differ; all NaNs are the same.
    fn same(&self, other: &Self) -> bool;
}

/// A number with an order: the eight integers of 8 to 64 bits, f16, bf16, f32 and f64.
pub trait Real: Element + Copy + PartialOrd + Accumulate {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The minimum; −Inf for floats.
    const LEAST: Self;
    /// The maximum; +Inf for floats.
    const GREATEST: Self;
    /// The smallest finite value.
    const LEAST_FINITE: Self;
    /// The largest finite value.
    const GREATEST_FINITE: Self;

    /// Converts to f64: exact, except that integers beyond 2^53 are rounded to nearest.
    fn to_f64(self) -> f64;
    /// Converts from f64. Floats are rounded once, to nearest, ties to even. Integers are truncated, then
    /// clamped; NaN becomes 0.
    fn from_f64(value: f64) -> Self;
    /// Sum: correctly rounded for floats, wrapping for integers.
    fn add(self, other: Self) -> Self;
    /// Difference: correctly rounded for floats, wrapping for integers.
    fn sub(self, other: Self) -> Self;
    /// Product: correctly rounded for floats, wrapping for integers.
    fn mul(self, other: Self) -> Self;
    /// Quotient: correctly rounded for floats; truncated toward zero for integers, where MIN / −1 wraps.
    /// `None` if an integer is divided by zero.
    fn div(self, other: Self) -> Option<Self>;
    /// Negation, wrapping for integers.
    fn neg(self) -> Self;
    /// Absolute value, wrapping for integers.
    fn abs(self) -> Self;
    /// Whether the value is NaN; false for integers.
    fn is_nan(self) -> bool;
    /// The larger of the two, NaN if either is NaN.
    #[inline]
    fn max(self, other: Self) -> Self {
        if self.is_nan() || self > other {
            self
        } else {
            other
        }
    }
    /// The smaller of the two, NaN if either is NaN.
    #[inline]
    fn min(self, other: Self) -> Self {
        if self.is_nan() || self < other {
            self
        } else {
            other
        }
    }
}

/// A float: f16, bf16, f32 or f64.
pub trait Float: Real {
    /// Bits of the significand, including the implicit one.
    const PRECISION: u32;
    /// NaN.
    const NAN: Self;
}

/// An integer of 8 to 64 bits.
pub trait Int: Real + Eq + Ord {
    /// Width in bits.
    const BITS: u32;
    /// Whether the type has negative values.
    const SIGNED: bool;
    /// Converts to i128, exactly.
    fn to_i128(self) -> i128;
    /// Keeps the low bits of `value`.
    fn wrap_i128(value: i128) -> Self;
    /// Returns the representable value nearest to `value`.
    fn saturate_i128(value: i128) -> Self;
}

/// Selects how sums of a type are accumulated.
pub trait Accumulate: Sized {
    /// The type of the running sum.
    type Acc: Accumulator<Self>;
}

/// A running sum of elements and of products of elements, rounded once when it is read.
pub trait Accumulator<T>: Copy + Default {
    /// Adds an element.
    fn add(&mut self, value: T);
    /// Adds the product of two elements.
    fn add_product(&mut self, a: T, b: T);
    /// Returns the sum, rounded to the element type.
    fn finish(self) -> T;
    /// Returns the sum as f64 (integers as in [`Real::to_f64`]), for a division or root that comes before the
    /// only rounding.
    fn to_f64(self) -> f64;
}

/// A sum in f64. Products of types up to f32 are exact in it.
#[derive(Clone, Copy, Default, Debug)]
pub struct F64Sum(f64);

impl<T: Real> Accumulator<T> for F64Sum {
    #[inline]
    fn add(&mut self, value: T) {
        self.0 += value.to_f64();
    }
    #[inline]
    fn add_product(&mut self, a: T, b: T) {
        self.0 += a.to_f64() * b.to_f64();
    }
    #[inline]
    fn finish(self) -> T {
        T::from_f64(self.0)
    }
    #[inline]
    fn to_f64(self) -> f64 {
        self.0
    }
}

/// A sum in double-double (Dekker 1971; Ogita, Rump and Oishi, "Accurate Sum and Dot Product", 2005,
/// algorithm Dot2).
#[derive(Clone, Copy, Default, Debug)]
pub struct CompensatedSum {
    high: f64,
    low: f64,
}

impl CompensatedSum {
    #[inline]
    fn push(&mut self, value: f64, error: f64) {
        let sum = self.high + value;
        let part = sum - self.high;
        let lost = (self.high - (sum - part)) + (value - part);
        self.high = sum;
        // An infinite or NaN sum is the result; its error term would be Inf − Inf.
        if sum.is_finite() {
            self.low += lost + error;
        }
    }
}

impl Accumulator<f64> for CompensatedSum {
    #[inline]
    fn add(&mut self, value: f64) {
        self.push(value, 0.0);
    }
    #[inline]
    fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.push(product, a.mul_add(b, -product));
    }
    #[inline]
    fn finish(self) -> f64 {
        self.to_f64()
    }
    #[inline]
    fn to_f64(self) -> f64 {
        if self.high.is_finite() {
            self.high + self.low
        } else {
            self.high
        }
    }
}

/// A sum in the integer type itself, wrapping on overflow.
#[derive(Clone, Copy, Default, Debug)]
pub struct WrappingSum<T>(T);

impl<T: Int> Accumulator<T> for WrappingSum<T> {
    #[inline]
    fn add(&mut self, value: T) {
        self.0 = Real::add(self.0, value);
    }
    #[inline]
    fn add_product(&mut self, a: T, b: T) {
        self.0 = Real::add(self.0, Real::mul(a, b));
    }
    #[inline]
    fn finish(self) -> T {
        self.0
    }
    #[inline]
    fn to_f64(self) -> f64 {
        Real::to_f64(self.0)
    }
}

macro_rules! int {
    ($($ty:ty),*) => {$(
        impl Accumulate for $ty {
            type Acc = WrappingSum<$ty>;
        }
        #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "one body for all widths")]
        impl Real for $ty {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LEAST: Self = <$ty>::MIN;
            const GREATEST: Self = <$ty>::MAX;
            const LEAST_FINITE: Self = <$ty>::MIN;
            const GREATEST_FINITE: Self = <$ty>::MAX;
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $ty
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline]
            fn div(self, other: Self) -> Option<Self> {
                (other != 0).then(|| self.wrapping_div(other))
            }
            #[inline]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline]
            fn abs(self) -> Self {
                if self < Self::ZERO { self.wrapping_neg() } else { self }
            }
            #[inline]
            fn is_nan(self) -> bool {
                false
            }
        }
        impl Int for $ty {
            const BITS: u32 = <$ty>::BITS;
            const SIGNED: bool = <$ty>::MIN != 0;
            fn to_i128(self) -> i128 {
                self as i128
            }
            fn wrap_i128(value: i128) -> Self {
                value as $ty
            }
            fn saturate_i128(value: i128) -> Self {
                value.clamp(<$ty>::MIN as i128, <$ty>::MAX as i128) as $ty
            }
        }
    )*};
}
int!(u8, i8, u16, i16, i32, i64, u32, u64);

/// Implements the traits for a float. For formats up to f32, the sum, difference, product and quotient are
/// computed in f64 and then rounded: 53 ≥ 2·24 + 2 bits make that second rounding innocuous (Figueroa, "When
/// is double rounding innocuous?", 1995).
macro_rules! float {
    ($ty:ty, $acc:ty, $precision:literal, $one:expr, $to:expr, $from:expr) => {
        impl Accumulate for $ty {
            type Acc = $acc;
        }
        impl Real for $ty {
            const ZERO: Self = <$ty>::from_bits(0);
            const ONE: Self = $one;
            const LEAST: Self = <$ty>::NEG_INFINITY;
            const GREATEST: Self = <$ty>::INFINITY;
            const LEAST_FINITE: Self = <$ty>::MIN;
            const GREATEST_FINITE: Self = <$ty>::MAX;
            #[inline]
            fn to_f64(self) -> f64 {
                $to(self)
            }
            #[inline]
            fn from_f64(value: f64) -> Self {
                $from(value)
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                $from($to(self) + $to(other))
            }
            #[inline]
            fn sub(self, other: Self) -> Self {
                $from($to(self) - $to(other))
            }
            #[inline]
            fn mul(self, other: Self) -> Self {
                $from($to(self) * $to(other))
            }
            #[inline]
            fn div(self, other: Self) -> Option<Self> {
                Some($from($to(self) / $to(other)))
            }
            #[inline]
            fn neg(self) -> Self {
                -self
            }
            #[inline]
            fn abs(self) -> Self {
                if self.is_sign_negative() { -self } else { self }
            }
            #[inline]
            fn is_nan(self) -> bool {
                self != self
            }
        }
        impl Float for $ty {
            const PRECISION: u32 = $precision;
            const NAN: Self = <$ty>::NAN;
        }
    };
}
float!(f16, F64Sum, 11, f16::ONE, halves::of_f16, halves::to_f16);
float!(
    bf16,
    F64Sum,
    8,
    bf16::ONE,
    |x: bf16| f64::from(f32::from_bits(u32::from(x.to_bits()) << 16)),
    halves::to_bf16
);
float!(f32, F64Sum, 24, 1.0, |x: f32| f64::from(x), |x: f64| x as f32);
float!(f64, CompensatedSum, 53, 1.0, |x: f64| x, |x: f64| x);
