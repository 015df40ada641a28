//! Types in the notation of the runtime.

use std::ptr;

use backend_api::BackendError;
use onnx_tensor::{DType, ValueType};
use ort::sys::{self, ONNXTensorElementDataType as Element, ONNXType};

use super::{Owned, call};
use crate::error;

/// The element types of the runtime. Its numbers differ from those of ONNX from 24 on, which is float8e8m0 in
/// ONNX. It has no complex numbers.
const ELEMENTS: [(DType, Element); 24] = [
    (DType::Float, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT),
    (DType::Uint8, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8),
    (DType::Int8, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8),
    (DType::Uint16, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16),
    (DType::Int16, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16),
    (DType::Int32, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32),
    (DType::Int64, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64),
    (DType::String, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING),
    (DType::Bool, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL),
    (DType::Float16, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16),
    (DType::Double, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE),
    (DType::Uint32, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32),
    (DType::Uint64, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64),
    (DType::Bfloat16, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16),
    (
        DType::Float8E4M3Fn,
        Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN,
    ),
    (
        DType::Float8E4M3Fnuz,
        Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ,
    ),
    (
        DType::Float8E5M2,
        Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2,
    ),
    (
        DType::Float8E5M2Fnuz,
        Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ,
    ),
    (DType::Uint4, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4),
    (DType::Int4, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4),
    (
        DType::Float4E2M1,
        Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1,
    ),
    (
        DType::Float8E8M0,
        Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0,
    ),
    (DType::Uint2, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2),
    (DType::Int2, Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2),
];

/// Returns the runtime's element type; complex numbers are [`BackendError::Unsupported`].
pub(crate) fn element_type(dtype: DType) -> Result<Element, BackendError> {
    ELEMENTS
        .iter()
        .find_map(|&(known, element)| (known == dtype).then_some(element))
        .ok_or_else(|| BackendError::unsupported(format!("ONNX Runtime has no tensors of {dtype}")))
}

/// Returns the element type with a number of the runtime. Numbers are integers here, because a newer library
/// may have more of them than the enum.
pub(crate) fn dtype(number: i32) -> Result<DType, BackendError> {
    ELEMENTS
        .iter()
        .find_map(|&(dtype, known)| (known as i32 == number).then_some(dtype))
        .ok_or_else(|| {
            BackendError::unsupported(format!(
                "element type {number} of ONNX Runtime is not an ONNX type"
            ))
        })
}

/// Returns the type that `info` describes, without shapes.
///
/// # Safety
/// `info` is a valid type description of the runtime.
pub(crate) unsafe fn value_type(info: *const sys::OrtTypeInfo) -> Result<ValueType, BackendError> {
    let mut kind = 0_i32;
    // SAFETY: `info` is valid; the runtime writes an enum of the size of i32.
    unsafe { call!(GetOnnxTypeFromTypeInfo(info, (&raw mut kind).cast())) }.map_err(error::load)?;
    const TENSOR: i32 = ONNXType::ONNX_TYPE_TENSOR as i32;
    const SPARSE: i32 = ONNXType::ONNX_TYPE_SPARSETENSOR as i32;
    const SEQUENCE: i32 = ONNXType::ONNX_TYPE_SEQUENCE as i32;
    const MAP: i32 = ONNXType::ONNX_TYPE_MAP as i32;
    const OPTIONAL: i32 = ONNXType::ONNX_TYPE_OPTIONAL as i32;
    // SAFETY: `info` is valid and of the kind that each function expects.
    unsafe {
        match kind {
            TENSOR => Ok(ValueType::tensor(tensor_dtype(info)?)),
            SPARSE => Ok(ValueType::Sparse {
                dtype: tensor_dtype(info)?,
                shape: None,
            }),
            SEQUENCE => Ok(ValueType::Sequence(Box::new(sequence_element(info)?))),
            MAP => map_type(info),
            OPTIONAL => Ok(ValueType::Optional(Box::new(optional_element(info)?))),
            _ => Err(BackendError::unsupported(format!(
                "values of ONNX Runtime's kind {kind}"
            ))),
        }
    }
}

/// # Safety
/// `info` describes a dense or sparse tensor.
unsafe fn tensor_dtype(info: *const sys::OrtTypeInfo) -> Result<DType, BackendError> {
    let mut tensor = ptr::null();
    // SAFETY: `info` is valid; the description belongs to it.
    unsafe { call!(CastTypeInfoToTensorInfo(info, &mut tensor)) }.map_err(error::load)?;
    if tensor.is_null() {
        return Err(BackendError::load(
            "the runtime returned no element type for a tensor",
        ));
    }
    let mut number = 0_i32;
    // SAFETY: `tensor` was just returned and is not null; the enum has the size of i32.
    unsafe { call!(GetTensorElementType(tensor, (&raw mut number).cast())) }.map_err(error::load)?;
    dtype(number)
}

/// # Safety
/// `info` describes a sequence.
unsafe fn sequence_element(info: *const sys::OrtTypeInfo) -> Result<ValueType, BackendError> {
    let mut sequence = ptr::null();
    // SAFETY: `info` is valid; the description belongs to it.
    unsafe { call!(CastTypeInfoToSequenceTypeInfo(info, &mut sequence)) }.map_err(error::load)?;
    // SAFETY: `sequence` belongs to `info`; the description of the element is released by its owner.
    let element = unsafe { Owned::create(|out| call!(GetSequenceElementType(sequence, out))) };
    // SAFETY: just created.
    unsafe { value_type(element.map_err(error::load)?.as_ptr()) }
}

/// # Safety
/// `info` describes an optional.
unsafe fn optional_element(info: *const sys::OrtTypeInfo) -> Result<ValueType, BackendError> {
    let mut optional = ptr::null();
    // SAFETY: `info` is valid; the description belongs to it.
    unsafe { call!(CastTypeInfoToOptionalTypeInfo(info, &mut optional)) }.map_err(error::load)?;
    // SAFETY: `optional` belongs to `info`; the description of the element is released by its owner.
    let element = unsafe { Owned::create(|out| call!(GetOptionalContainedTypeInfo(optional, out))) };
    // SAFETY: just created.
    unsafe { value_type(element.map_err(error::load)?.as_ptr()) }
}

/// # Safety
/// `info` describes a map.
unsafe fn map_type(info: *const sys::OrtTypeInfo) -> Result<ValueType, BackendError> {
    let (mut map, mut key) = (ptr::null(), 0_i32);
    // SAFETY: `info` is valid; the description belongs to it.
    unsafe { call!(CastTypeInfoToMapTypeInfo(info, &mut map)) }.map_err(error::load)?;
    // SAFETY: `map` belongs to `info`; the enum has the size of i32.
    unsafe { call!(GetMapKeyType(map, (&raw mut key).cast())) }.map_err(error::load)?;
    // SAFETY: `map` belongs to `info`; the description of the value is released by its owner.
    let value = unsafe { Owned::create(|out| call!(GetMapValueType(map, out))) };
    Ok(ValueType::Map {
        key: dtype(key)?,
        // SAFETY: just created.
        value: Box::new(unsafe { value_type(value.map_err(error::load)?.as_ptr()) }?),
    })
}
