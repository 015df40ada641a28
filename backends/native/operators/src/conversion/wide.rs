//! Casts between the types that models have most, without an intermediate type.

use onnx_tensor::{DType, Element, Tensor};

use super::super::numbers::{slice, truncated};
use crate::error::Problem;

/// Returns the converted tensor; `None` if another type is involved. Integers keep the low bits, floats are
/// rounded to floats and [`truncated`] to integers, booleans are true if not zero.
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
    // A conversion through a word, which is at least as wide, keeps the low bits of a number in its range.
    macro_rules! floats_to_each {
        ($from:ty) => {
            match to {
                DType::Int32 => floats_to_each!($from, i32, i32),
                DType::Int64 => floats_to_each!($from, i64, i64),
                DType::Int8 => floats_to_each!($from, i8, i32),
                DType::Uint8 => floats_to_each!($from, u8, i32),
                _ => to_each!($from, 0.0),
            }
        };
        ($from:ty, $to:ty, $word:ty) => {{
            let bound = -(<$word>::MIN as $from);
            let exact = |x: $from| truncated(f64::from(x)) as $to;
            whole::<$from, $to>(tensor, |x| x.abs() < bound, |x| x as $word as $to, exact)
        }};
    }
    let converted = match tensor.dtype() {
        DType::Float => floats_to_each!(f32),
        DType::Double => floats_to_each!(f64),
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

/// The number of elements that are checked before they are converted.
const CHUNK: usize = 256;

/// Converts numbers to integers: those of a chunk whose numbers are all in range by `fast`, others by
/// `exact`.
fn whole<A: Element + Copy, B: Element>(
    tensor: &Tensor,
    in_range: impl Fn(A) -> bool,
    fast: impl Fn(A) -> B,
    exact: impl Fn(A) -> B,
) -> Result<Tensor, Problem> {
    let values = slice::<A>(tensor)?;
    let mut results = Vec::with_capacity(values.len());
    for chunk in values.chunks(CHUNK) {
        if chunk.iter().fold(true, |all, &x| all & in_range(x)) {
            results.extend(chunk.iter().map(|&x| fast(x)))
        } else {
            results.extend(chunk.iter().map(|&x| exact(x)))
        }
    }
    Ok(Tensor::new(tensor.shape(), results)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_the_low_bits_of_numbers() {
        let mut values = vec![1.9, -1.9, 255.0, 256.0, -129.0, 3e9, -3e9, 9.3e18, 1e30, 3e38];
        values.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -2147483648.0]);
        // The other chunk is in range.
        values.resize(CHUNK, 0.0);
        values.extend([-7.5; 10]);
        let low = |x: &f32| {
            if f64::from(*x).abs() < 127_f64.exp2() {
                *x as i128
            } else {
                0
            }
        };
        let tensor = Tensor::vector(values.clone());
        macro_rules! check {
            ($dtype:ident, $to:ty) => {{
                let found = cast(&tensor, DType::$dtype).expect("it is converted");
                let found = found.expect("the types are known").to_vec::<$to>();
                let expected = values.iter().map(|x| low(x) as $to).collect::<Vec<$to>>();
                assert_eq!(found, Ok(expected));
            }};
        }
        check!(Int8, i8);
        check!(Uint8, u8);
        check!(Int32, i32);
        check!(Int64, i64);
    }
}
