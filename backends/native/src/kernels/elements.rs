//! Operands and results of kernels, of the element types that the arena holds.

use half::slice::HalfBitsSliceExt;
use onnx_tensor::{DType, Tensor, bf16, f16};

use crate::error::{Problem, invalid};
use crate::ops::numbers::slice;
use crate::size::count;

/// The size of a word of the arena in bytes.
const WORD: usize = size_of::<f32>();

/// Elements to read.
#[derive(Clone, Copy, Debug)]
pub enum Elements<'a> {
    F32(&'a [f32]),
    F16(&'a [f16]),
    Bf16(&'a [bf16]),
    I32(&'a [i32]),
    I8(&'a [i8]),
    U8(&'a [u8]),
    /// Indices; the arena does not hold them.
    I64(&'a [i64]),
    /// Conditions; the arena does not hold them.
    Bool(&'a [bool]),
}

/// Elements to write.
#[derive(Debug)]
pub enum ElementsMut<'a> {
    F32(&'a mut [f32]),
    F16(&'a mut [f16]),
    Bf16(&'a mut [bf16]),
    I32(&'a mut [i32]),
    I8(&'a mut [i8]),
    U8(&'a mut [u8]),
}

/// Returns the number of words for `length` elements; `None` for a type that the arena does not hold.
pub fn words(dtype: DType, length: usize) -> Option<usize> {
    match dtype {
        DType::Float | DType::Int32 => Some(length),
        DType::Float16 | DType::Bfloat16 => Some(length.div_ceil(WORD / size_of::<f16>())),
        DType::Int8 | DType::Uint8 => Some(length.div_ceil(WORD)),
        _ => None,
    }
}

/// Reinterprets words as elements.
macro_rules! seen {
    ($kind:ident, $dtype:expr, $length:expr, $words:expr, $cast:ident, $get:ident, $half:ident) => {{
        let short = || Problem::Invalid("a value is longer than its range in the arena".to_owned());
        match $dtype {
            DType::Float => $kind::F32($words.$get(..$length).ok_or_else(short)?),
            DType::Float16 => $kind::F16(
                bytemuck::$cast::<f32, u16>($words)
                    .$get(..$length)
                    .ok_or_else(short)?
                    .$half(),
            ),
            DType::Bfloat16 => $kind::Bf16(
                bytemuck::$cast::<f32, u16>($words)
                    .$get(..$length)
                    .ok_or_else(short)?
                    .$half(),
            ),
            DType::Int32 => $kind::I32(bytemuck::$cast($words).$get(..$length).ok_or_else(short)?),
            DType::Int8 => $kind::I8(bytemuck::$cast($words).$get(..$length).ok_or_else(short)?),
            DType::Uint8 => $kind::U8(bytemuck::$cast($words).$get(..$length).ok_or_else(short)?),
            other => return invalid(format!("the arena cannot hold {other}")),
        }
    }};
}

impl<'a> Elements<'a> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Elements::F32(elements) => elements.len(),
            Elements::F16(elements) => elements.len(),
            Elements::Bf16(elements) => elements.len(),
            Elements::I32(elements) => elements.len(),
            Elements::I8(elements) => elements.len(),
            Elements::U8(elements) => elements.len(),
            Elements::I64(elements) => elements.len(),
            Elements::Bool(elements) => elements.len(),
        }
    }

    /// Returns `length` elements at the beginning of these words.
    pub fn of_words(dtype: DType, length: usize, words: &'a [f32]) -> Result<Elements<'a>, Problem> {
        Ok(seen!(
            Elements,
            dtype,
            length,
            words,
            cast_slice,
            get,
            reinterpret_cast
        ))
    }

    /// Returns the elements of a tensor.
    pub fn of_tensor(tensor: &'a Tensor) -> Result<Elements<'a>, Problem> {
        Ok(match tensor.dtype() {
            DType::Float => Elements::F32(slice(tensor)?),
            DType::Float16 => Elements::F16(slice(tensor)?),
            DType::Bfloat16 => Elements::Bf16(slice(tensor)?),
            DType::Int32 => Elements::I32(slice(tensor)?),
            DType::Int8 => Elements::I8(slice(tensor)?),
            DType::Uint8 => Elements::U8(slice(tensor)?),
            DType::Int64 => Elements::I64(slice(tensor)?),
            DType::Bool => Elements::Bool(slice(tensor)?),
            other => return invalid(format!("a kernel does not support {other}")),
        })
    }

    /// Copies the elements to a tensor.
    pub fn to_tensor(self, shape: &[usize]) -> Result<Tensor, Problem> {
        count(shape)?;
        Ok(match self {
            Elements::F32(elements) => Tensor::new(shape, elements.to_vec())?,
            Elements::F16(elements) => Tensor::new(shape, elements.to_vec())?,
            Elements::Bf16(elements) => Tensor::new(shape, elements.to_vec())?,
            Elements::I32(elements) => Tensor::new(shape, elements.to_vec())?,
            Elements::I8(elements) => Tensor::new(shape, elements.to_vec())?,
            Elements::U8(elements) => Tensor::new(shape, elements.to_vec())?,
            Elements::I64(elements) => Tensor::new(shape, elements.to_vec())?,
            Elements::Bool(elements) => Tensor::new(shape, elements.to_vec())?,
        })
    }

    /// Returns the elements as f32.
    pub fn floats(self) -> Result<&'a [f32], Problem> {
        match self {
            Elements::F32(elements) => Ok(elements),
            _ => invalid("an operand of a kernel is not f32"),
        }
    }

    /// Returns the elements as conditions.
    pub fn conditions(self) -> Result<&'a [bool], Problem> {
        match self {
            Elements::Bool(elements) => Ok(elements),
            _ => invalid("an operand of a kernel is not bool"),
        }
    }

    /// Returns the elements as u8 or i8.
    pub fn bytes(self) -> Result<native_kernels::int8::Bytes<'a>, Problem> {
        use native_kernels::int8::Bytes;
        match self {
            Elements::I8(elements) => Ok(Bytes::Signed(elements)),
            Elements::U8(elements) => Ok(Bytes::Unsigned(elements)),
            _ => invalid("an operand of a kernel is not of bytes"),
        }
    }

    /// Returns the only element, an integer of any type.
    pub fn integer(self) -> Result<i32, Problem> {
        match self {
            Elements::I32(&[value]) => Ok(value),
            Elements::I8(&[value]) => Ok(value.into()),
            Elements::U8(&[value]) => Ok(value.into()),
            _ => invalid("a zero point is not one integer"),
        }
    }
}

impl<'a> ElementsMut<'a> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            ElementsMut::F32(elements) => elements.len(),
            ElementsMut::F16(elements) => elements.len(),
            ElementsMut::Bf16(elements) => elements.len(),
            ElementsMut::I32(elements) => elements.len(),
            ElementsMut::I8(elements) => elements.len(),
            ElementsMut::U8(elements) => elements.len(),
        }
    }

    /// Returns `length` elements at the beginning of these words.
    pub fn of_words(dtype: DType, length: usize, words: &'a mut [f32]) -> Result<ElementsMut<'a>, Problem> {
        Ok(seen!(
            ElementsMut,
            dtype,
            length,
            words,
            cast_slice_mut,
            get_mut,
            reinterpret_cast_mut
        ))
    }

    /// Returns the elements as f32.
    pub fn floats(&mut self) -> Result<&mut [f32], Problem> {
        match self {
            ElementsMut::F32(elements) => Ok(elements),
            _ => invalid("a result of a kernel is not f32"),
        }
    }

    /// Returns the elements as u8 or i8.
    pub fn bytes(&mut self) -> Result<native_kernels::int8::BytesMut<'_>, Problem> {
        use native_kernels::int8::BytesMut;
        match self {
            ElementsMut::I8(elements) => Ok(BytesMut::Signed(elements)),
            ElementsMut::U8(elements) => Ok(BytesMut::Unsigned(elements)),
            _ => invalid("a result of a kernel is not of bytes"),
        }
    }

    /// Returns the elements as i32 sums.
    pub fn sums(&mut self) -> Result<&mut [i32], Problem> {
        match self {
            ElementsMut::I32(elements) => Ok(elements),
            _ => invalid("a result of a kernel is not i32"),
        }
    }
}
