//! The properties of an element that the comparison uses: its value, its neighbours, and its text.

use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, I2, I4, U2, U4};
use onnx_tensor::{Real, RoundMode, bf16, f16};

use super::ulp::{Ordinal, ulp_distance};

/// A float in the comparison.
pub trait Scalar: Ordinal {
    /// The exact value.
    fn value(self) -> f64;

    /// The nearest value. Beyond the greatest: an infinity, or NaN if there is none, or the greatest if
    /// there is neither.
    fn of(value: f64) -> Self;

    /// The distance in ULP. Neither may be NaN.
    fn ulp_distance(self, other: Self) -> f64 {
        ulp_distance(self, other)
    }

    /// Whether the value is non-zero and nearer to zero than every normal number.
    fn is_subnormal(self) -> bool {
        let magnitude = self.ordinal().unsigned_abs();
        magnitude != 0 && magnitude < 1 << Self::MANTISSA_BITS
    }
}

macro_rules! scalar {
    ($($ty:ty: $to:expr, $of:expr);* $(;)?) => {$(
        impl Scalar for $ty {
            fn value(self) -> f64 {
                $to(self)
            }

            fn of(value: f64) -> Self {
                $of(value)
            }
        }
    )*};
}
scalar! {
    f32: Real::to_f64, Real::from_f64;
    f64: Real::to_f64, Real::from_f64;
    f16: Real::to_f64, Real::from_f64;
    bf16: Real::to_f64, Real::from_f64;
    F8E4M3Fn: F8E4M3Fn::to_f64, |x| F8E4M3Fn::from_f64(x, Overflow::Special);
    F8E4M3Fnuz: F8E4M3Fnuz::to_f64, |x| F8E4M3Fnuz::from_f64(x, Overflow::Special);
    F8E5M2: F8E5M2::to_f64, |x| F8E5M2::from_f64(x, Overflow::Special);
    F8E5M2Fnuz: F8E5M2Fnuz::to_f64, |x| F8E5M2Fnuz::from_f64(x, Overflow::Special);
    F4E2M1: F4E2M1::to_f64, |x| F4E2M1::from_f64(x, Overflow::Special);
    F6E2M3: F6E2M3::to_f64, |x| F6E2M3::from_f64(x, Overflow::Special);
    F6E3M2: F6E3M2::to_f64, |x| F6E3M2::from_f64(x, Overflow::Special);
    F8E8M0: F8E8M0::to_f64, |x| F8E8M0::from_f64(x, RoundMode::Nearest, Overflow::Special);
}

/// A number for display: short, in the precision of its type, with an exponent where it saves a row of
/// zeros.
pub fn text<T: Scalar>(value: T) -> String {
    let value = value.value();
    let narrow = size_of::<T>() <= size_of::<f32>();
    let plain = value == 0.0 || !value.is_finite() || (1e-4..1e7).contains(&value.abs());
    match (narrow, plain) {
        (true, true) => (value as f32).to_string(),
        (true, false) => format!("{:e}", value as f32),
        (false, true) => value.to_string(),
        (false, false) => format!("{value:e}"),
    }
}

/// An integer in the comparison.
pub trait Whole: Copy {
    /// The value.
    fn whole(self) -> i128;

    /// The element with this value, if there is one.
    fn of(value: i128) -> Option<Self>;
}

macro_rules! whole {
    ($($ty:ty)*) => {$(
        impl Whole for $ty {
            fn whole(self) -> i128 {
                self.into()
            }

            fn of(value: i128) -> Option<Self> {
                <$ty>::try_from(value).ok()
            }
        }
    )*};
}
whole!(u8 i8 u16 i16 u32 i32 u64 i64);

macro_rules! small_whole {
    ($($ty:ty)*) => {$(
        impl Whole for $ty {
            fn whole(self) -> i128 {
                self.get().into()
            }

            fn of(value: i128) -> Option<Self> {
                let element = <$ty>::saturate(i64::try_from(value).ok()?);
                (element.whole() == value).then_some(element)
            }
        }
    )*};
}
small_whole!(U4 I4 U2 I2);
