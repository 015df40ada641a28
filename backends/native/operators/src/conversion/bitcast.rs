//! BitCast: reinterprets the bits as another type of the same width.

use onnx_tensor::{DType, Tensor, bf16, f16};

use super::super::call::one;
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[row("BitCast", 26, SAME, bitcast).of_type(|known| known.named_dtype("to"))];

fn bitcast(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let Some(to) = call.attributes.dtype("to")? else {
        return invalid("attribute `to` is not an element type");
    };
    if tensor.dtype().bits() != to.bits() {
        return invalid(format!("{} and {to} differ in width", tensor.dtype()));
    }
    one(from_bits(to, tensor.shape(), bits(tensor)?)?)
}

fn bits(tensor: &Tensor) -> Result<Vec<u64>, Problem> {
    macro_rules! each {
        ($array:ident, $convert:expr) => {
            Ok($array.iter().map($convert).collect())
        };
    }
    match tensor {
        Tensor::Uint8(a) => each!(a, |&x| u64::from(x)),
        Tensor::Int8(a) => each!(a, |&x| u64::from(x as u8)),
        Tensor::Bool(a) => each!(a, |&x| u64::from(x)),
        Tensor::Uint16(a) => each!(a, |&x| u64::from(x)),
        Tensor::Int16(a) => each!(a, |&x| u64::from(x as u16)),
        Tensor::Float16(a) => each!(a, |x| u64::from(x.to_bits())),
        Tensor::Bfloat16(a) => each!(a, |x| u64::from(x.to_bits())),
        Tensor::Uint32(a) => each!(a, |&x| u64::from(x)),
        Tensor::Int32(a) => each!(a, |&x| u64::from(x as u32)),
        Tensor::Float(a) => each!(a, |x| u64::from(x.to_bits())),
        Tensor::Uint64(a) => each!(a, |&x| x),
        Tensor::Int64(a) => each!(a, |&x| x as u64),
        Tensor::Double(a) => each!(a, |x| x.to_bits()),
        _ => unsupported(format!("BitCast of {} is not implemented", tensor.dtype())),
    }
}

fn from_bits(dtype: DType, shape: &[usize], bits: Vec<u64>) -> Result<Tensor, Problem> {
    macro_rules! each {
        ($convert:expr) => {
            Ok(Tensor::new(
                shape,
                bits.into_iter().map($convert).collect::<Vec<_>>(),
            )?)
        };
    }
    match dtype {
        DType::Uint8 => each!(|x| x as u8),
        DType::Int8 => each!(|x| x as i8),
        DType::Bool => each!(|x| x != 0),
        DType::Uint16 => each!(|x| x as u16),
        DType::Int16 => each!(|x| x as i16),
        DType::Float16 => each!(|x| f16::from_bits(x as u16)),
        DType::Bfloat16 => each!(|x| bf16::from_bits(x as u16)),
        DType::Uint32 => each!(|x| x as u32),
        DType::Int32 => each!(|x| x as i32),
        DType::Float => each!(|x| f32::from_bits(x as u32)),
        DType::Uint64 => each!(|x| x),
        DType::Int64 => each!(|x| x as i64),
        DType::Double => each!(f64::from_bits),
        _ => unsupported(format!("BitCast to {dtype} is not implemented")),
    }
}
