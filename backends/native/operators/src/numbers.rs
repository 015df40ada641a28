//! Converts tensors of any number type to f64 or i128, and back with one rounding.
//!
//! Operators that are rarely hot are implemented once over these two types instead of for each of the 28
//! element types. f64 represents every float of ONNX exactly, i128 every integer.

use onnx_tensor::minifloat::{Overflow, round_to_odd};
use onnx_tensor::{
    DType, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, I2, I4, Real, RoundMode,
    Tensor, U2, U4, bf16, dispatch, f16,
};

use crate::error::{Problem, unsupported};
use crate::size::has_room;

/// Returns the elements as f64; integers beyond 2^53 are rounded, booleans are 0 and 1.
pub fn floats(tensor: &Tensor) -> Result<Vec<f64>, Problem> {
    has_room(tensor.len())?;
    macro_rules! each {
        ($array:ident, $convert:expr) => {
            $array.iter().map($convert).collect()
        };
    }
    Ok(match tensor {
        Tensor::Float(a) => each!(a, |&x| f64::from(x)),
        Tensor::Double(a) => each!(a, |&x| x),
        Tensor::Float16(a) => each!(a, |&x| Real::to_f64(x)),
        Tensor::Bfloat16(a) => each!(a, |&x| Real::to_f64(x)),
        Tensor::Float8E4M3Fn(a) => each!(a, |x| x.to_f64()),
        Tensor::Float8E4M3Fnuz(a) => each!(a, |x| x.to_f64()),
        Tensor::Float8E5M2(a) => each!(a, |x| x.to_f64()),
        Tensor::Float8E5M2Fnuz(a) => each!(a, |x| x.to_f64()),
        Tensor::Float4E2M1(a) => each!(a, |x| x.to_f64()),
        Tensor::Float8E8M0(a) => each!(a, |x| x.to_f64()),
        Tensor::Float6E2M3(a) => each!(a, |x| x.to_f64()),
        Tensor::Float6E3M2(a) => each!(a, |x| x.to_f64()),
        _ => ints(tensor)?.into_iter().map(|x| x as f64).collect(),
    })
}

/// Returns the elements of an integer tensor, exactly; booleans are 0 and 1.
pub fn ints(tensor: &Tensor) -> Result<Vec<i128>, Problem> {
    has_room(tensor.len())?;
    macro_rules! each {
        ($array:ident) => {
            $array.iter().map(|&x| i128::from(x)).collect()
        };
        ($array:ident, get) => {
            $array.iter().map(|x| i128::from(x.get())).collect()
        };
    }
    Ok(match tensor {
        Tensor::Uint8(a) => each!(a),
        Tensor::Int8(a) => each!(a),
        Tensor::Uint16(a) => each!(a),
        Tensor::Int16(a) => each!(a),
        Tensor::Uint32(a) => each!(a),
        Tensor::Int32(a) => each!(a),
        Tensor::Uint64(a) => each!(a),
        Tensor::Int64(a) => each!(a),
        Tensor::Bool(a) => each!(a),
        Tensor::Uint4(a) => each!(a, get),
        Tensor::Int4(a) => each!(a, get),
        Tensor::Uint2(a) => each!(a, get),
        Tensor::Int2(a) => each!(a, get),
        _ => {
            return unsupported(format!("elements of {} are not implemented here", tensor.dtype()));
        }
    })
}

/// Whether the type is an integer type of 8 bits and more, whose elements have a Rust type.
pub fn is_whole_bytes(dtype: DType) -> bool {
    dtype.is_integer() && dtype.bits() >= Some(8)
}

/// Applies a function to the elements of an integer tensor. The results keep the low bits.
///
/// Each type has its own loop, in which the compiler narrows the arithmetic of 128 bits.
pub fn map_ints(tensor: &Tensor, apply: impl Fn(i128) -> i128) -> Result<Tensor, Problem> {
    let dtype = tensor.dtype();
    if !is_whole_bytes(dtype) {
        let values = ints(tensor)?.into_iter().map(apply).collect();
        return from_ints(dtype, tensor.shape(), values);
    }
    dispatch!(int, dtype, T => {
        let values = slice::<T>(tensor)?.iter().map(|&x| apply(i128::from(x)) as T);
        Ok(Tensor::new(tensor.shape(), values.collect::<Vec<T>>())?)
    })
}

/// Returns a number truncated toward zero, exact modulo 2⁶⁴; 0 if it is not finite, or has no bits below 2⁶⁴.
pub fn truncated(x: f64) -> i128 {
    // From 2¹²⁷ on, a number is a multiple of 2⁷⁴.
    if x.abs() < 127_f64.exp2() { x as i128 } else { 0 }
}

/// Makes a tensor of these elements. Floats are rounded once, integers truncated and clamped, booleans are
/// true if not zero.
pub fn from_floats(dtype: DType, shape: &[usize], values: Vec<f64>) -> Result<Tensor, Problem> {
    from_floats_with(dtype, shape, values, Overflow::Saturate, RoundMode::Up)
}

/// Like [`from_floats`], with the treatment of values that are too large for a narrow format, and the
/// rounding of e8m0.
pub fn from_floats_with(
    dtype: DType,
    shape: &[usize],
    values: Vec<f64>,
    overflow: Overflow,
    mode: RoundMode,
) -> Result<Tensor, Problem> {
    macro_rules! each {
        ($convert:expr) => {
            Tensor::new(shape, values.into_iter().map($convert).collect::<Vec<_>>())?
        };
    }
    Ok(match dtype {
        DType::Float => each!(|x| x as f32),
        DType::Double => Tensor::new(shape, values)?,
        DType::Float16 => each!(<f16 as Real>::from_f64),
        DType::Bfloat16 => each!(<bf16 as Real>::from_f64),
        DType::Uint8 => each!(|x| x as u8),
        DType::Int8 => each!(|x| x as i8),
        DType::Uint16 => each!(|x| x as u16),
        DType::Int16 => each!(|x| x as i16),
        DType::Uint32 => each!(|x| x as u32),
        DType::Int32 => each!(|x| x as i32),
        DType::Uint64 => each!(|x| x as u64),
        DType::Int64 => each!(|x| x as i64),
        DType::Bool => each!(|x| x != 0.0),
        DType::Float8E4M3Fn => each!(|x| F8E4M3Fn::from_f64(x, overflow)),
        DType::Float8E4M3Fnuz => each!(|x| F8E4M3Fnuz::from_f64(x, overflow)),
        DType::Float8E5M2 => each!(|x| F8E5M2::from_f64(x, overflow)),
        DType::Float8E5M2Fnuz => each!(|x| F8E5M2Fnuz::from_f64(x, overflow)),
        DType::Float4E2M1 => each!(|x| F4E2M1::from_f64(x, overflow)),
        DType::Float6E2M3 => each!(|x| F6E2M3::from_f64(x, overflow)),
        DType::Float6E3M2 => each!(|x| F6E3M2::from_f64(x, overflow)),
        DType::Float8E8M0 => each!(|x| F8E8M0::from_f64(x, mode, overflow)),
        DType::Uint4 => each!(|x| U4::saturate(x as i64)),
        DType::Int4 => each!(|x| I4::saturate(x as i64)),
        DType::Uint2 => each!(|x| U2::saturate(x as i64)),
        DType::Int2 => each!(|x| I2::saturate(x as i64)),
        _ => return unsupported(format!("elements of {dtype} are not implemented here")),
    })
}

/// Makes a tensor of these elements. Integers keep their low bits, floats are rounded, booleans are true if
/// not zero.
pub fn from_ints(dtype: DType, shape: &[usize], values: Vec<i128>) -> Result<Tensor, Problem> {
    from_ints_with(dtype, shape, values, Overflow::Saturate, RoundMode::Up)
}

/// Like [`from_ints`], with the options of [`from_floats_with`].
pub fn from_ints_with(
    dtype: DType,
    shape: &[usize],
    values: Vec<i128>,
    overflow: Overflow,
    mode: RoundMode,
) -> Result<Tensor, Problem> {
    macro_rules! each {
        ($convert:expr) => {
            Tensor::new(shape, values.into_iter().map($convert).collect::<Vec<_>>())?
        };
    }
    Ok(match dtype {
        DType::Uint8 => each!(|x| x as u8),
        DType::Int8 => each!(|x| x as i8),
        DType::Uint16 => each!(|x| x as u16),
        DType::Int16 => each!(|x| x as i16),
        DType::Uint32 => each!(|x| x as u32),
        DType::Int32 => each!(|x| x as i32),
        DType::Uint64 => each!(|x| x as u64),
        DType::Int64 => each!(|x| x as i64),
        DType::Bool => each!(|x| x != 0),
        DType::Uint4 => each!(|x| U4::wrap(x as i64)),
        DType::Int4 => each!(|x| I4::wrap(x as i64)),
        DType::Uint2 => each!(|x| U2::wrap(x as i64)),
        DType::Int2 => each!(|x| I2::wrap(x as i64)),
        DType::Double => each!(|x| x as f64),
        // Through the nearest f64, an integer beyond 2^53 would be rounded twice.
        DType::Float => each!(|x| x as f32),
        _ => {
            let values = values.into_iter().map(odd).collect();
            from_floats_with(dtype, shape, values, overflow, mode)?
        }
    })
}

/// Converts an integer of at most 65 bits to an f64 that rounds correctly to every narrower format
/// ([`round_to_odd`]).
fn odd(value: i128) -> f64 {
    let nearest = value as f64;
    let back = nearest as i128;
    round_to_odd(nearest, value.unsigned_abs().cmp(&back.unsigned_abs()))
}

/// Returns the sum of numbers; that of none is +0, where the sum of the standard library is −0.
pub fn sum(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, |sum, number| sum + number)
}

/// Rounds numbers to a float type.
pub fn rounded(dtype: DType, values: Vec<f64>) -> Result<Vec<f64>, Problem> {
    match dtype {
        DType::Double => Ok(values),
        _ => floats(&from_floats(dtype, &[values.len()], values)?),
    }
}

/// Returns the elements of a boolean tensor.
pub fn bools(tensor: &Tensor) -> Result<Vec<bool>, Problem> {
    Ok(tensor.to_vec::<bool>()?)
}

/// Returns the elements of a tensor in row-major order without copying them.
pub fn slice<T: onnx_tensor::Element>(tensor: &Tensor) -> Result<&[T], Problem> {
    let array = tensor.array::<T>()?;
    let scattered = || Problem::Invalid("a tensor is not in row-major order".to_owned());
    array.as_slice().ok_or_else(scattered)
}

/// Returns the minimum and maximum of an integer type.
pub fn int_range(dtype: DType) -> Option<(i128, i128)> {
    let bits = dtype.bits().filter(|_| dtype.is_integer())?;
    let signed = matches!(
        dtype,
        DType::Int2 | DType::Int4 | DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64
    );
    Some(if signed {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    })
}
