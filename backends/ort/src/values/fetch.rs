//! Conversion of values of the runtime.

use std::collections::BTreeMap;
use std::ptr;

use backend_api::BackendError;
use onnx_tensor::{
    DType, F4E2M1, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, I2, I4, Map, MapKey, Real, Sequence,
    Tensor, TensorError, U2, U4, Value, ValueType, dispatch,
};
use ort::AsPointer;
use ort::memory::Allocator;
use ort::sys::{self, ONNXType};

use super::described::described;
use super::{packed, sparse};
use crate::error;
use crate::ffi::{Owned, call, value_type};

/// Converts a value, with the types of the runtime; `None` for an absent optional.
pub(crate) fn fetch(value: &Owned<sys::OrtValue>) -> Result<Option<Value>, BackendError> {
    let mut present = 0;
    // All other functions read through a null pointer if there is no value.
    // SAFETY: the value is valid.
    unsafe { call!(HasValue(value.as_ptr(), &mut present)) }.map_err(error::run)?;
    if present == 0 {
        return Ok(None);
    }
    let mut kind = 0_i32;
    // SAFETY: the value is valid; the enum has the size of i32.
    unsafe { call!(GetValueType(value.as_ptr(), (&raw mut kind).cast())) }.map_err(error::run)?;
    const TENSOR: i32 = ONNXType::ONNX_TYPE_TENSOR as i32;
    const SPARSE: i32 = ONNXType::ONNX_TYPE_SPARSETENSOR as i32;
    const SEQUENCE: i32 = ONNXType::ONNX_TYPE_SEQUENCE as i32;
    const MAP: i32 = ONNXType::ONNX_TYPE_MAP as i32;
    Ok(Some(match kind {
        TENSOR => Value::Tensor(tensor(value)?),
        SPARSE => Value::Sparse(sparse::fetch(value)?),
        SEQUENCE => Value::Sequence(sequence(value)?),
        MAP => Value::Map(map(value)?),
        _ => {
            return Err(BackendError::unsupported(format!(
                "a value of ONNX Runtime's kind {kind}"
            )));
        }
    }))
}

fn tensor(value: &Owned<sys::OrtValue>) -> Result<Tensor, BackendError> {
    // SAFETY: the value is a tensor; the description is released by its owner.
    let info = unsafe { Owned::create(|out| call!(GetTensorTypeAndShape(value.as_ptr(), out))) };
    let (dtype, shape) = described(&info.map_err(error::run)?)?;
    if dtype == DType::String {
        return strings(value, &shape);
    }
    let mut data = ptr::null_mut();
    // SAFETY: the value is a tensor of a type other than string. Its data is only read.
    unsafe { call!(GetTensorMutableData(value.as_ptr().cast_mut(), &mut data)) }.map_err(error::run)?;
    // SAFETY: the tensor has the number of elements of its shape.
    unsafe { elements(dtype, &shape, data.cast_const().cast()) }
}

/// Converts the elements of a dense tensor, except of strings.
///
/// # Safety
/// `data` points to the packed elements of a tensor of this type and shape, or the tensor is empty.
pub(super) unsafe fn elements(
    dtype: DType,
    shape: &[usize],
    data: *const u8,
) -> Result<Tensor, BackendError> {
    let count = shape.iter().product::<usize>();
    let bits = dtype.bits().unwrap_or_default();
    // SAFETY: by the contract of this function; `bits` is the width of the packed elements.
    let raw = unsafe { slice(data, count.saturating_mul(bits).div_ceil(8)) };
    let tensor = match dtype {
        DType::Bool => Tensor::new(shape, raw.iter().map(|&byte| byte != 0).collect()),
        DType::Float8E4M3Fn => Tensor::new(shape, raw.iter().map(|&byte| F8E4M3Fn(byte)).collect()),
        DType::Float8E4M3Fnuz => Tensor::new(shape, raw.iter().map(|&byte| F8E4M3Fnuz(byte)).collect()),
        DType::Float8E5M2 => Tensor::new(shape, raw.iter().map(|&byte| F8E5M2(byte)).collect()),
        DType::Float8E5M2Fnuz => Tensor::new(shape, raw.iter().map(|&byte| F8E5M2Fnuz(byte)).collect()),
        DType::Float8E8M0 => Tensor::new(shape, raw.iter().map(|&byte| F8E8M0(byte)).collect()),
        DType::Float4E2M1 => Tensor::new(shape, packed::unpack(raw, 4, count).map(F4E2M1).collect()),
        DType::Uint4 => Tensor::new(
            shape,
            packed::unpack(raw, 4, count)
                .map(|bits| U4::wrap(bits.into()))
                .collect(),
        ),
        DType::Int4 => Tensor::new(
            shape,
            packed::unpack(raw, 4, count)
                .map(|bits| I4::wrap(bits.into()))
                .collect(),
        ),
        DType::Uint2 => Tensor::new(
            shape,
            packed::unpack(raw, 2, count)
                .map(|bits| U2::wrap(bits.into()))
                .collect(),
        ),
        DType::Int2 => Tensor::new(
            shape,
            packed::unpack(raw, 2, count)
                .map(|bits| I2::wrap(bits.into()))
                .collect(),
        ),
        // SAFETY: by the contract of this function.
        _ => dispatch!(real, dtype, T => Tensor::new(shape, unsafe { numbers::<T>(data, count) })),
    };
    tensor.map_err(|error: TensorError| BackendError::run(error))
}

/// # Safety
/// `data` points to `count` elements of `T`, every bit pattern of which is valid, or `count` is zero.
unsafe fn numbers<T: Real>(data: *const u8, count: usize) -> Vec<T> {
    // SAFETY: by the contract of this function; the runtime aligns tensors for every element type.
    unsafe { slice(data.cast::<T>(), count) }.to_vec()
}

/// # Safety
/// `data` points to `count` valid elements that outlive the slice, or `count` is zero.
unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: by the contract of this function.
    unsafe { std::slice::from_raw_parts(data, count) }
}

fn strings(value: &Owned<sys::OrtValue>, shape: &[usize]) -> Result<Tensor, BackendError> {
    let count = shape.iter().product::<usize>();
    let mut length = 0;
    // SAFETY: the value is a tensor of strings.
    unsafe { call!(GetStringTensorDataLength(value.as_ptr(), &mut length)) }.map_err(error::run)?;
    let (mut bytes, mut starts) = (vec![0_u8; length], vec![0_usize; count]);
    if count > 0 {
        // SAFETY: both buffers have these lengths.
        let status = unsafe {
            call!(GetStringTensorContent(
                value.as_ptr(),
                bytes.as_mut_ptr().cast(),
                length,
                starts.as_mut_ptr(),
                count
            ))
        };
        status.map_err(error::run)?;
    }
    let ends = starts.iter().skip(1).copied().chain([length]);
    let texts = starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| bytes.get(start..end).map(<[u8]>::to_vec).map(String::from_utf8));
    let texts: Option<Result<Vec<String>, _>> = texts.collect();
    match texts {
        Some(Ok(texts)) => Tensor::new(shape, texts).map_err(BackendError::run),
        _ => Err(BackendError::run("an output contains a string that is not UTF-8")),
    }
}

/// Returns the type of a sequence or map.
fn type_of(value: &Owned<sys::OrtValue>) -> Result<ValueType, BackendError> {
    // SAFETY: the value is valid and present; the description is released by its owner.
    let info = unsafe { Owned::create(|out| call!(GetTypeInfo(value.as_ptr(), out))) };
    // SAFETY: just created.
    unsafe { value_type(info.map_err(error::run)?.as_ptr()) }
}

/// Returns an element of a sequence, or the keys (0) or values (1) of a map.
fn part(value: &Owned<sys::OrtValue>, index: usize) -> Result<Value, BackendError> {
    let index = i32::try_from(index).map_err(BackendError::run)?;
    let allocator = Allocator::default();
    // SAFETY: the value is a sequence or map; an index out of range is an error status; the part is released
    // by its owner.
    let part = unsafe {
        Owned::create(|out| call!(GetValue(value.as_ptr(), index, allocator.ptr().cast_mut(), out)))
    };
    fetch(&part.map_err(error::run)?)?
        .ok_or_else(|| BackendError::run(format!("part {index} of an output has no value")))
}

fn sequence(value: &Owned<sys::OrtValue>) -> Result<Sequence, BackendError> {
    let ValueType::Sequence(element) = type_of(value)? else {
        return Err(BackendError::run(
            "ONNX Runtime returned another type for a sequence",
        ));
    };
    let mut count = 0;
    // SAFETY: the value is a sequence.
    unsafe { call!(GetValueCount(value.as_ptr(), &mut count)) }.map_err(error::run)?;
    let values = (0..count)
        .map(|index| part(value, index))
        .collect::<Result<_, _>>()?;
    Ok(Sequence {
        element: *element,
        values,
    })
}

fn map(value: &Owned<sys::OrtValue>) -> Result<Map, BackendError> {
    let malformed = || BackendError::run("ONNX Runtime returned another type for a map");
    let ValueType::Map { key, value: element } = type_of(value)? else {
        return Err(malformed());
    };
    let keys = match part(value, 0)? {
        Value::Tensor(Tensor::Int64(keys)) => keys
            .iter()
            .map(|&key| MapKey::Int(key.into()))
            .collect::<Vec<_>>(),
        Value::Tensor(Tensor::String(keys)) => keys.iter().map(|key| MapKey::String(key.clone())).collect(),
        _ => return Err(malformed()),
    };
    let Value::Tensor(values) = part(value, 1)? else {
        return Err(malformed());
    };
    let entries: BTreeMap<_, _> = keys
        .into_iter()
        .zip(scalars(&values).map_err(BackendError::run)?)
        .collect();
    Ok(Map {
        key,
        element: *element,
        entries,
    })
}

/// Returns each element as a tensor of rank 0.
fn scalars(values: &Tensor) -> Result<Vec<Value>, TensorError> {
    dispatch!(all, values.dtype(), T => {
        Ok(values.to_vec::<T>()?.into_iter().map(|element| Tensor::scalar(element).into()).collect())
    })
}
