//! Elements of tensors: domains and draws.

use onnx_tensor::minifloat::exp2;
use onnx_tensor::{
    Complex32, Complex64, DType, Element, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz,
    F8E8M0, I2, I4, Int, Real, Tensor, TensorError, U2, U4, bf16, dispatch, f16,
};

use crate::Draws;

/// The permitted values of a tensor, on which the operator is defined.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// The minimum of a uniform draw.
    pub low: f64,
    /// The maximum of a uniform draw.
    pub high: f64,
    /// Whether zero is a value.
    pub zero: bool,
    /// Whether only integers are values.
    pub whole: bool,
    /// Permitted float values outside the interval from `low` to `high`.
    pub beyond: Beyond,
}

/// Values outside the interval of a [`Domain`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// None.
    Nothing,
    /// Infinities and NaN, of floats only.
    NotFinite,
    /// Every value of the type: the maximum and the minimum, subnormals, infinities, NaN.
    Everything,
}

impl Domain {
    /// Every value of the type.
    pub const ANY: Domain = Domain::from(-8.0, 8.0).with(Beyond::Everything);
    /// Moderate values whose sums and products are far from overflow, or infinities and NaN.
    pub const SUM: Domain = Domain::from(-4.0, 4.0).with(Beyond::NotFinite);
    /// Moderate finite values.
    pub const MODERATE: Domain = Domain::from(-4.0, 4.0);
    /// From -1 to 1.
    pub const UNIT: Domain = Domain::from(-1.0, 1.0);
    /// From 0 to 1.
    pub const PROBABILITY: Domain = Domain::from(0.0, 1.0);
    /// Positive, far from zero and from overflow.
    pub const POSITIVE: Domain = Domain::from(0.25, 4.0).without_zero();

    /// The finite values of an interval.
    pub const fn from(low: f64, high: f64) -> Domain {
        Domain {
            low,
            high,
            zero: true,
            whole: false,
            beyond: Beyond::Nothing,
        }
    }

    /// The integers of an interval.
    pub const fn whole(low: f64, high: f64) -> Domain {
        Domain {
            whole: true,
            ..Domain::from(low, high)
        }
    }

    /// The same domain with values outside the interval.
    pub const fn with(self, beyond: Beyond) -> Domain {
        Domain { beyond, ..self }
    }

    /// The same domain without zero.
    pub const fn without_zero(self) -> Domain {
        Domain { zero: false, ..self }
    }

    /// Whether a number is a value.
    fn accepts(&self, value: f64) -> bool {
        let kind = value.is_finite() && (!self.whole || value.fract() == 0.0) && (self.zero || value != 0.0);
        match self.beyond {
            Beyond::Everything => !self.whole && !value.is_finite() || kind,
            Beyond::NotFinite => !value.is_finite() || kind && self.low <= value && value <= self.high,
            Beyond::Nothing => kind && self.low <= value && value <= self.high,
        }
    }
}

/// A set of values that a tensor is drawn from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Uniform in the interval.
    Uniform,
    /// Small integers and halves: equal elements and ties.
    Small,
    /// Signed zeros, subnormals, infinities, NaN, the maximum and the minimum among uniform values.
    Special,
    /// Magnitudes over the range of the type: very large and very small ones.
    Range,
}

impl Class {
    /// The names of the classes that differ for a domain and a type.
    pub fn names(domain: &Domain, dtype: DType) -> &'static [&'static str] {
        match (dtype, domain.beyond) {
            (DType::Bool | DType::String, _) => &["uniform"],
            (_, Beyond::Nothing) => &["uniform", "small"],
            (_, Beyond::NotFinite) => &["uniform", "small", "special"],
            (_, Beyond::Everything) => &["uniform", "small", "special", "range"],
        }
    }

    /// The class with a name; uniform for an unknown one.
    pub fn named(name: &str) -> Class {
        match name {
            "small" => Class::Small,
            "special" => Class::Special,
            "range" => Class::Range,
            _ => Class::Uniform,
        }
    }
}

/// A tensor of drawn elements.
///
/// # Errors
/// A shape that cannot be addressed.
pub fn tensor(
    draws: &mut Draws,
    dtype: DType,
    shape: &[usize],
    domain: &Domain,
    class: Class,
) -> Result<Tensor, TensorError> {
    let count = shape.iter().product();
    dispatch!(all, dtype, T => {
        let elements: Vec<T> = (0..count).map(|_| T::drawn(draws, domain, class)).collect();
        Tensor::new(shape, elements)
    })
}

/// A type with elements that can be drawn.
trait Drawn: Element {
    fn drawn(draws: &mut Draws, domain: &Domain, class: Class) -> Self;
}

/// The maximum number of attempts to draw a value of the domain.
const ATTEMPTS: usize = 200;

/// A number by class: uniform, or small; special values and ranges depend on the type.
fn number(draws: &mut Draws, domain: &Domain, class: Class) -> f64 {
    match class {
        Class::Small if domain.whole => draws.between(-4, 6) as f64,
        Class::Small => draws.between(-10, 12) as f64 / 2.0,
        Class::Uniform | Class::Special | Class::Range => {
            let value = domain.low + (domain.high - domain.low) * draws.unit();
            if domain.whole {
                value.round_ties_even()
            } else {
                value
            }
        }
    }
}

/// Draws until the value is in the domain.
fn accepted<T: Copy>(
    domain: &Domain,
    fallback: T,
    mut draw: impl FnMut() -> T,
    value: impl Fn(T) -> f64,
) -> T {
    (0..ATTEMPTS)
        .map(|_| draw())
        .find(|&drawn| domain.accepts(value(drawn)))
        .unwrap_or(fallback)
}

macro_rules! floats {
    ($($ty:ty, $bits:ty, $mantissa:literal, $least:literal, $greatest:literal;)*) => {$(
        impl Drawn for $ty {
            fn drawn(draws: &mut Draws, domain: &Domain, class: Class) -> Self {
                let one = <$ty as Real>::ONE;
                let special = |draws: &mut Draws| -> $ty {
                    let tiny = <$ty>::from_bits(1);
                    let normal = <$ty>::from_bits(1 << $mantissa);
                    let near = <$ty>::from_bits(one.to_bits() + 1);
                    let below = <$ty>::from_bits(one.to_bits() - 1);
                    let set = [<$ty as Real>::ZERO, tiny, normal, <$ty as Real>::GREATEST, near, below, one,
                        <$ty as Real>::GREATEST_FINITE, <$ty>::NAN, <$ty as Real>::ZERO];
                    let value = set[draws.below(set.len())];
                    if draws.one_in(2) { Real::neg(value) } else { value }
                };
                let range = |draws: &mut Draws| -> $ty {
                    let magnitude = exp2(draws.between($least, $greatest) as i32) * (1.0 + draws.unit());
                    let value = <$ty as Real>::from_f64(magnitude);
                    if draws.one_in(2) { Real::neg(value) } else { value }
                };
                let fallback = <$ty as Real>::from_f64(domain.high);
                accepted(domain, fallback, || match class {
                    Class::Special if draws.one_in(2) => special(draws),
                    Class::Range => range(draws),
                    _ => <$ty as Real>::from_f64(number(draws, domain, class)),
                }, <$ty as Real>::to_f64)
            }
        }
    )*};
}
floats! {
    f16, u16, 10, -24, 15;
    bf16, u16, 7, -133, 127;
    f32, u32, 23, -149, 127;
    f64, u64, 52, -1074, 1022;
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Drawn for $ty {
            fn drawn(draws: &mut Draws, domain: &Domain, class: Class) -> Self {
                let fallback = <$ty as Real>::from_f64(domain.high);
                let everything = domain.beyond == Beyond::Everything;
                accepted(domain, fallback, || match class {
                    Class::Special if everything && draws.one_in(2) => {
                        let set = [<$ty>::MIN, <$ty>::MAX, <$ty>::MIN + 1, <$ty>::MAX - 1, 0, 1, <$ty>::MAX / 2 + 1];
                        set[draws.below(set.len())]
                    }
                    Class::Range if everything => (draws.bits() >> draws.below(<$ty as Int>::BITS as usize)) as $ty,
                    _ => <$ty as Real>::from_f64(number(draws, domain, class)),
                }, <$ty as Real>::to_f64)
            }
        }
    )*};
}
integers!(u8, i8, u16, i16, u32, i32, u64, i64);

macro_rules! patterns {
    ($($ty:ident: $width:literal;)*) => {$(
        impl Drawn for $ty {
            fn drawn(draws: &mut Draws, domain: &Domain, _: Class) -> Self {
                accepted(domain, $ty::default(), || $ty((draws.bits() & ((1 << $width) - 1)) as u8), $ty::to_f64)
            }
        }
    )*};
}
patterns! {
    F8E4M3Fn: 8; F8E4M3Fnuz: 8; F8E5M2: 8; F8E5M2Fnuz: 8; F8E8M0: 8; F6E2M3: 6; F6E3M2: 6; F4E2M1: 4;
}

macro_rules! small_integers {
    ($($ty:ty),*) => {$(
        impl Drawn for $ty {
            fn drawn(draws: &mut Draws, domain: &Domain, _: Class) -> Self {
                let draw = || <$ty>::wrap((draws.bits() & 15) as i64);
                accepted(domain, <$ty>::wrap(1), draw, |drawn| f64::from(drawn.get()))
            }
        }
    )*};
}
small_integers!(U4, I4, U2, I2);

impl Drawn for bool {
    fn drawn(draws: &mut Draws, _: &Domain, _: Class) -> Self {
        draws.one_in(2)
    }
}

impl Drawn for Complex32 {
    fn drawn(draws: &mut Draws, domain: &Domain, class: Class) -> Self {
        Complex32::new(f32::drawn(draws, domain, class), f32::drawn(draws, domain, class))
    }
}

impl Drawn for Complex64 {
    fn drawn(draws: &mut Draws, domain: &Domain, class: Class) -> Self {
        Complex64::new(f64::drawn(draws, domain, class), f64::drawn(draws, domain, class))
    }
}

impl Drawn for String {
    fn drawn(draws: &mut Draws, _: &Domain, _: Class) -> Self {
        const WORDS: [&str; 12] = [
            "", "a", "b", "B", "ab", "Ab", "0", "-1.5", " a", "Straße", "日本", "a b c",
        ];
        WORDS[draws.below(WORDS.len())].to_owned()
    }
}
