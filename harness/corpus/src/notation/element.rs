//! Text notation of tensor elements.

use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{
    Complex32, Complex64, Element, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0,
    I2, I4, Real, U2, U4, bf16, f16,
};
use toml::Value;

/// An element that can be written as text.
pub trait ElementText: Element {
    /// The element, or `None` if the text is not of this type: a fraction for an integer, a number out of
    /// range, too many bits.
    fn from_text(text: &Value) -> Option<Self>;
    /// The text from which [`Self::from_text`] reads the same bits.
    fn to_text(&self) -> Value;
}

/// The text of a number that `from_text` reads as these bits: the number itself if it does, or the bits.
fn number(value: f64, bits: u64, read: impl Fn(&Value) -> Option<u64>) -> Value {
    let text = match value {
        _ if value.is_nan() => Value::from("nan"),
        f64::INFINITY => Value::from("inf"),
        f64::NEG_INFINITY => Value::from("-inf"),
        _ => Value::Float(value),
    };
    if read(&text) == Some(bits) {
        text
    } else {
        Value::String(format!("{bits:#x}"))
    }
}

/// A number, `"nan"`, `"inf"`, `"-inf"`.
fn real(text: &Value) -> Option<f64> {
    match text {
        Value::Float(value) => Some(*value),
        // Beyond 2^53, f64 cannot represent every integer.
        Value::Integer(value) => (value.unsigned_abs() <= 1 << 53).then_some(*value as f64),
        Value::String(text) => match text.as_str() {
            "nan" => Some(f64::NAN),
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// `"0x…"`.
fn bits(text: &Value) -> Option<u64> {
    u64::from_str_radix(text.as_str()?.strip_prefix("0x")?, 16).ok()
}

/// An integer, or its digits in quotes.
fn integer(text: &Value) -> Option<i128> {
    match text {
        Value::Integer(value) => Some((*value).into()),
        Value::String(digits) => digits.parse().ok(),
        _ => None,
    }
}

macro_rules! elements {
    ($($ty:ty, $text:ident => $read:expr, $element:ident => $write:expr;)*) => {$(
        impl ElementText for $ty {
            fn from_text($text: &Value) -> Option<Self> {
                $read
            }
            fn to_text(&self) -> Value {
                let $element = self;
                $write
            }
        }
    )*};
}

macro_rules! integers {
    ($($ty:ty),*) => { elements! { $(
        $ty, text => <$ty>::try_from(integer(text)?).ok(),
        element => i64::try_from(*element).map_or_else(|_| Value::String(element.to_string()), Value::Integer);
    )* } };
}
integers!(u8, i8, u16, i16, u32, i32, u64, i64);

macro_rules! small_integers {
    ($($ty:ty),*) => { elements! { $($ty, text => {
        let value = i64::try_from(integer(text)?).ok()?;
        let element = <$ty>::wrap(value);
        (i64::from(element.get()) == value).then_some(element)
    }, element => Value::Integer(element.get().into());)* } };
}
small_integers!(U4, I4, U2, I2);

macro_rules! floats {
    ($($ty:ty: $bits:ty),*) => { elements! { $($ty, text => match bits(text) {
        Some(bits) => <$bits>::try_from(bits).ok().map(<$ty>::from_bits),
        None => real(text).map(<$ty as Real>::from_f64),
    }, element => {
        // The shortest decimal number that is read as the same float.
        let shortest = element.to_string().parse().unwrap_or(f64::NAN);
        number(shortest, element.to_bits().into(), |text| Some(Self::from_text(text)?.to_bits().into()))
    };)* } };
}
floats!(f16: u16, bf16: u16, f32: u32, f64: u64);

macro_rules! small_floats {
    ($($ty:ident: $width:literal),*) => { elements! { $($ty, text => match bits(text) {
        Some(bits) => (bits < 1 << $width).then_some($ty(bits as u8)),
        // A value that the format cannot represent exactly must be written as bits.
        None => real(text).and_then(|value| {
            let element = $ty::from_f64(value, Overflow::Special);
            (element.to_f64() == value || value.is_nan() && element.to_f64().is_nan()).then_some(element)
        }),
    }, element => number(element.to_f64(), element.0.into(), |text| Some(Self::from_text(text)?.0.into()));)* } };
}
small_floats!(F8E4M3Fn: 8, F8E4M3Fnuz: 8, F8E5M2: 8, F8E5M2Fnuz: 8, F6E2M3: 6, F6E3M2: 6, F4E2M1: 4);

elements! {
    F8E8M0, text => bits(text).and_then(|bits| u8::try_from(bits).ok()).map(F8E8M0),
        element => Value::String(format!("{:#x}", element.0));
    bool, text => text.as_bool(), element => Value::Boolean(*element);
    String, text => text.as_str().map(str::to_owned), element => Value::String(element.clone());
    Complex32, text => pair(text).map(|(re, im)| Complex32 { re, im }),
        element => Value::Array(vec![element.re.to_text(), element.im.to_text()]);
    Complex64, text => pair(text).map(|(re, im)| Complex64 { re, im }),
        element => Value::Array(vec![element.re.to_text(), element.im.to_text()]);
}

fn pair<T: ElementText>(text: &Value) -> Option<(T, T)> {
    match text.as_array()?.as_slice() {
        [re, im] => Some((T::from_text(re)?, T::from_text(im)?)),
        _ => None,
    }
}
