//! Casts between the types that models have most, without an intermediate type.

use onnx_tensor::{DType, Element, Tensor};

use super::super::numbers::slice;
use crate::error::Problem;

/// Returns the converted tensor; `None` if another type is involved. Integers keep the low bits, floats are
/// rounded to floats and truncated and clamped to integers, booleans are true if not zero.
pub fn cast(tensor: &Tensor, to: DType) -> Result<Option<Tensor>, Problem> {
    macro_rules! to_each {
        ($from:ty, $zero:expr) => {
            match to {
                DType::Float => each::<$from, f32>(tensor, |x| x as f32),
                DType::Double => each::<$from, f64>(tensor, |x| x as f64),
                DType::Int32 => each::<$from, i32>(tensor, |x| x as i32),
                DType::Int64 => each::<$from, i64>(tensor, |x| x as i64),
                DType::Int8 => each::<$from, i8>(tensor, |x| x as i8),
                DType::Uint8 => each::<$from, u8>(tensor, |x| x as u8),
                DType::Bool => each::<$from, bool>(tensor, |x| x != $zero),
                _ => return Ok(None),
            }
        };
    }
    let converted = match tensor.dtype() {
        DType::Float => to_each!(f32, 0.0),
        DType::Double => to_each!(f64, 0.0),
        DType::Int32 => to_each!(i32, 0),
        DType::Int64 => to_each!(i64, 0),
        DType::Int8 => to_each!(i8, 0),
        DType::Uint8 => to_each!(u8, 0),
        DType::Bool => match to {
            DType::Float => each::<bool, f32>(tensor, |x| f32::from(u8::from(x))),
            DType::Double => each::<bool, f64>(tensor, |x| f64::from(u8::from(x))),
            DType::Int32 => each::<bool, i32>(tensor, i32::from),
            DType::Int64 => each::<bool, i64>(tensor, i64::from),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    converted.map(Some)
}

fn each<A: Element + Copy, B: Element>(tensor: &Tensor, convert: impl Fn(A) -> B) -> Result<Tensor, Problem> {
    let values = slice::<A>(tensor)?
        .iter()
        .map(|&x| convert(x))
        .collect::<Vec<B>>();
    Ok(Tensor::new(tensor.shape(), values)?)
}
