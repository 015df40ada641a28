//! The conversions that networks have most, in loops over slices. They follow the rules of
//! [`super::Number`]: integers keep their low bits, a float is rounded once or truncated.

use onnx_tensor::{Array, DType, Element, Real, Tensor, f16};

use super::Rules;

/// The elements of `x` as `to`. `None` for other types, and for floats beyond the range of an integer type.
pub fn convert(x: &Tensor, to: DType, rules: Rules) -> Option<Tensor> {
    macro_rules! wrapped {
        ($x:ident, $($variant:ident $ty:ty),*) => {
            match to {
                DType::Float => each($x, |x| x as f32),
                DType::Double => each($x, |x| x as f64),
                DType::Bool => each($x, |x| x != 0),
                $(DType::$variant => each($x, |x| x as $ty),)*
                _ => None,
            }
        };
    }
    match x {
        Tensor::Int64(x) => wrapped!(x, Int32 i32, Uint8 u8, Int8 i8),
        Tensor::Int32(x) => wrapped!(x, Int64 i64, Uint8 u8, Int8 i8),
        Tensor::Uint8(x) => wrapped!(x, Int64 i64, Int32 i32),
        Tensor::Int8(x) => wrapped!(x, Int64 i64, Int32 i32),
        Tensor::Bool(x) => match to {
            DType::Float => each(x, |x| f32::from(u8::from(x))),
            DType::Int64 => each(x, i64::from),
            DType::Int32 => each(x, i32::from),
            _ => None,
        },
        Tensor::Float16(x) if to == DType::Float => each(x, |x| x.to_f64() as f32),
        Tensor::Double(x) if to == DType::Float => each(x, |x| x as f32),
        Tensor::Float(x) => match to {
            DType::Float16 => each(x, |x| <f16 as Real>::from_f64(f64::from(x))),
            DType::Double => each(x, f64::from),
            DType::Bool => each(x, |x| x != 0.0),
            DType::Int64 => truncated(x, rules, 9_223_372_036_854_775_808.0, |x| x as i64),
            DType::Int32 => truncated(x, rules, 2_147_483_648.0, |x| x as i32),
            _ => None,
        },
        _ => None,
    }
}

fn each<T: Copy, U: Element>(x: &Array<T>, f: impl Fn(T) -> U) -> Option<Tensor> {
    let elements = x.as_slice()?.iter();
    Tensor::new(x.shape(), elements.map(|&x| f(x)).collect()).ok()
}

/// Floats of magnitudes below `limit`, which have an integer part in the type.
fn truncated<U: Element>(x: &Array<f32>, rules: Rules, limit: f32, f: impl Fn(f32) -> U) -> Option<Tensor> {
    let fits = !rules.wide_integers.rounds && x.as_slice()?.iter().all(|x| x.abs() < limit);
    fits.then(|| each(x, f)).flatten()
}
