//! The 25 element types that are bool or numeric, as source and target of a conversion.

use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{
    Element, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, I2, I4, Int, Real, U2,
    U4, bf16, f16,
};

use super::{Number, Rules, text};

/// A bool or a number.
pub trait Scalar: Element + Copy {
    /// Whether this is an integer type.
    const IS_INTEGER: bool = false;
    /// The value, exact.
    fn number(self) -> Number;
    /// Floats: rounded once. Integers: [`Number::whole`], low bits kept. Bool: whether the number is not
    /// zero.
    fn from_number(number: Number, rules: Rules) -> Self;
    /// The value as text ([`text`]); floats narrower than float32 are written as their float32 value.
    fn text(self) -> String {
        text::plain(self.number().nearest() as f32)
    }
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Scalar for $ty {
            const IS_INTEGER: bool = true;
            fn number(self) -> Number {
                Number::Integer(self.into())
            }
            fn from_number(number: Number, rules: Rules) -> Self {
                let (least, greatest) = (<$ty>::MIN.into(), <$ty>::MAX.into());
                <$ty>::wrap_i128(number.whole(rules.wide_integers, least, greatest))
            }
            fn text(self) -> String {
                self.to_string()
            }
        }
    )*};
}
integers!(u8, i8, u16, i16, u32, i32, u64, i64);

macro_rules! small_integers {
    ($($ty:ty: $range:expr),*) => {$(
        impl Scalar for $ty {
            const IS_INTEGER: bool = true;
            fn number(self) -> Number {
                Number::Integer(self.get().into())
            }
            fn from_number(number: Number, rules: Rules) -> Self {
                let (least, greatest): (i128, i128) = $range;
                <$ty>::wrap(number.whole(rules.narrow_integers, least, greatest) as i64)
            }
            fn text(self) -> String {
                self.get().to_string()
            }
        }
    )*};
}
small_integers!(
    U4: (0, 15),
    I4: (-8, 7),
    U2: (0, 3),
    I2: (-2, 1)
);

macro_rules! floats {
    ($($ty:ty),*) => {$(
        impl Scalar for $ty {
            fn number(self) -> Number {
                Number::real(self.to_f64())
            }
            fn from_number(number: Number, _: Rules) -> Self {
                <$ty as Real>::from_f64(number.odd())
            }
        }
    )*};
}
floats!(f16, bf16, f32);

impl Scalar for f64 {
    fn number(self) -> Number {
        Number::real(self)
    }
    fn from_number(number: Number, _: Rules) -> Self {
        number.nearest()
    }
    fn text(self) -> String {
        text::plain(self)
    }
}

macro_rules! small_floats {
    ($($ty:ty: $overflow:expr),*) => {$(
        impl Scalar for $ty {
            fn number(self) -> Number {
                Number::real(self.to_f64())
            }
            fn from_number(number: Number, rules: Rules) -> Self {
                let overflow: fn(Rules) -> Overflow = $overflow;
                <$ty>::from_f64(number.odd(), overflow(rules))
            }
        }
    )*};
}
small_floats!(
    F8E4M3Fn: |rules| rules.overflow,
    F8E4M3Fnuz: |rules| rules.overflow,
    F8E5M2: |rules| rules.overflow,
    F8E5M2Fnuz: |rules| rules.overflow,
    F6E2M3: |_| Overflow::Saturate,
    F6E3M2: |_| Overflow::Saturate
);

impl Scalar for F4E2M1 {
    fn number(self) -> Number {
        Number::real(self.to_f64())
    }
    fn from_number(number: Number, rules: Rules) -> Self {
        let value = if number.nearest().is_nan() && rules.nan_is_greatest {
            f64::INFINITY
        } else {
            number.odd()
        };
        F4E2M1::from_f64(value, Overflow::Saturate)
    }
}

impl Scalar for F8E8M0 {
    fn number(self) -> Number {
        Number::real(self.to_f64())
    }
    fn from_number(number: Number, rules: Rules) -> Self {
        F8E8M0::from_f64(number.odd(), rules.round, rules.overflow)
    }
}

impl Scalar for bool {
    fn number(self) -> Number {
        Number::Integer(self.into())
    }
    fn from_number(number: Number, _: Rules) -> Self {
        !number.is_zero()
    }
    fn text(self) -> String {
        u8::from(self).to_string()
    }
}
