//! Conversion of values to values of the runtime.

use std::ffi::{CString, c_void};
use std::ptr;

use backend_api::BackendError;
use onnx_tensor::{DType, Map, MapKey, Tensor, TensorError, Value, ValueType, dispatch};
use ort::AsPointer;
use ort::memory::{Allocator, MemoryInfo};
use ort::sys::{self, ONNXType};

use super::{empty, packed, sparse};
use crate::error;
use crate::ffi::interface::has;
use crate::ffi::{Owned, call, element_type};
use crate::runtime::Runtime;

/// A value of the runtime, with the tensors whose memory it uses.
pub(crate) struct Feed {
    value: Owned<sys::OrtValue>,
    _backing: Vec<Tensor>,
}

impl Feed {
    /// Converts `value`. Tensors of whole-byte types are not copied.
    pub(crate) fn new(value: &Value, runtime: &Runtime) -> Result<Feed, BackendError> {
        let mut backing = Vec::new();
        let value = Feeder {
            runtime,
            backing: &mut backing,
        }
        .value(value)?;
        Ok(Feed {
            value,
            _backing: backing,
        })
    }

    /// The value of the runtime.
    pub(crate) fn value(&self) -> &Owned<sys::OrtValue> {
        &self.value
    }
}

struct Feeder<'a> {
    runtime: &'a Runtime,
    backing: &'a mut Vec<Tensor>,
}

impl Feeder<'_> {
    fn value(&mut self, value: &Value) -> Result<Owned<sys::OrtValue>, BackendError> {
        match value {
            Value::Tensor(tensor) => self.tensor(tensor),
            Value::Sparse(tensor) => sparse::feed(tensor),
            Value::Sequence(sequence) => self.sequence(&sequence.element, &sequence.values),
            Value::Map(map) => self.map(map),
            Value::Optional { .. } => Err(BackendError::unsupported(
                "ONNX Runtime has no optional inside another value",
            )),
            Value::Stored(_) => Err(BackendError::unsupported(
                "ONNX Runtime takes no input from a file",
            )),
        }
    }

    fn tensor(&mut self, tensor: &Tensor) -> Result<Owned<sys::OrtValue>, BackendError> {
        let tensor = tensor.to_standard();
        if let Ok(strings) = tensor.array::<String>() {
            return string_tensor(tensor.shape(), strings.iter(), self.runtime.minor);
        }
        match bytes(&tensor) {
            Some(bytes) => copied(&tensor, &bytes),
            None => {
                let value = borrowed(&tensor)?;
                self.backing.push(tensor);
                Ok(value)
            }
        }
    }

    fn sequence(
        &mut self,
        element: &ValueType,
        values: &[Value],
    ) -> Result<Owned<sys::OrtValue>, BackendError> {
        if values.is_empty() {
            return empty::sequence(element, self.runtime);
        }
        let parts = values
            .iter()
            .map(|value| self.value(value))
            .collect::<Result<Vec<_>, _>>()?;
        compose(&parts, ONNXType::ONNX_TYPE_SEQUENCE)
    }

    fn map(&mut self, map: &Map) -> Result<Owned<sys::OrtValue>, BackendError> {
        let parts = [self.tensor(&keys(map)?)?, self.tensor(&map_values(map)?)?];
        compose(&parts, ONNXType::ONNX_TYPE_MAP)
    }
}

/// Makes a sequence from its elements, or a map from its keys and values.
fn compose(parts: &[Owned<sys::OrtValue>], kind: ONNXType) -> Result<Owned<sys::OrtValue>, BackendError> {
    let parts: Vec<_> = parts.iter().map(Owned::as_ptr).collect();
    // SAFETY: the parts are valid; the new value keeps references to what it needs of them.
    unsafe { Owned::create(|out| call!(CreateValue(parts.as_ptr(), parts.len(), kind, out))) }
        .map_err(error::run)
}

/// Returns the keys of a map as a tensor of rank 1.
fn keys(map: &Map) -> Result<Tensor, BackendError> {
    let unfit = || BackendError::unsupported(format!("ONNX Runtime has no maps with keys of {}", map.key));
    let keys = map.entries.keys();
    match map.key {
        DType::String => keys
            .map(|key| match key {
                MapKey::String(text) => Ok(text.clone()),
                MapKey::Int(_) => Err(unfit()),
            })
            .collect::<Result<Vec<String>, _>>()
            .map(Tensor::vector),
        DType::Int64 => keys
            .map(|key| match key {
                MapKey::Int(number) => i64::try_from(*number).map_err(|_| unfit()),
                MapKey::String(_) => Err(unfit()),
            })
            .collect::<Result<Vec<i64>, _>>()
            .map(Tensor::vector),
        _ => Err(unfit()),
    }
}

/// Returns the values of a map, each a tensor of one element, as a tensor of rank 1.
fn map_values(map: &Map) -> Result<Tensor, BackendError> {
    let unfit = || {
        BackendError::unsupported(format!(
            "ONNX Runtime has no maps of {}, only of single elements",
            map.element
        ))
    };
    let ValueType::Tensor { dtype, .. } = map.element else {
        return Err(unfit());
    };
    joined(map, dtype).ok().flatten().ok_or_else(unfit)
}

/// Concatenates the values; `None` if one is not a tensor of one element.
fn joined(map: &Map, dtype: DType) -> Result<Option<Tensor>, TensorError> {
    let tensors = map.entries.values().map(Value::as_tensor);
    dispatch!(all, dtype, T => {
        let mut elements: Vec<T> = Vec::with_capacity(map.entries.len());
        for tensor in tensors {
            match tensor.map(Tensor::to_vec::<T>).transpose()? {
                Some(mut element) if element.len() == 1 => elements.append(&mut element),
                _ => return Ok(None),
            }
        }
        Ok(Some(Tensor::vector(elements)))
    })
}

/// Returns the packed bytes of a tensor whose elements have no plain Rust representation; `None` for all
/// others.
fn bytes(tensor: &Tensor) -> Option<Vec<u8>> {
    Some(match tensor {
        Tensor::Float8E4M3Fn(array) => array.iter().map(|element| element.0).collect(),
        Tensor::Float8E4M3Fnuz(array) => array.iter().map(|element| element.0).collect(),
        Tensor::Float8E5M2(array) => array.iter().map(|element| element.0).collect(),
        Tensor::Float8E5M2Fnuz(array) => array.iter().map(|element| element.0).collect(),
        Tensor::Float8E8M0(array) => array.iter().map(|element| element.0).collect(),
        Tensor::Float4E2M1(array) => packed::pack(array.iter().map(|element| element.0), 4),
        Tensor::Uint4(array) => packed::pack(array.iter().map(|element| element.get()), 4),
        Tensor::Int4(array) => packed::pack(array.iter().map(|element| element.get().cast_unsigned()), 4),
        Tensor::Uint2(array) => packed::pack(array.iter().map(|element| element.get()), 2),
        Tensor::Int2(array) => packed::pack(array.iter().map(|element| element.get().cast_unsigned()), 2),
        _ => return None,
    })
}

/// Converts the extents to the integers of the runtime.
pub(super) fn extents(shape: &[usize]) -> Result<Vec<i64>, BackendError> {
    let extent = |&extent: &usize| i64::try_from(extent).map_err(BackendError::run);
    shape.iter().map(extent).collect()
}

/// Returns the address and the size in bytes of a tensor's elements in row-major order, if they have a plain
/// representation.
pub(super) fn memory(tensor: &Tensor) -> Result<(*const c_void, usize), TensorError> {
    dispatch!(plain, tensor.dtype(), T => {
        let array = tensor.array::<T>()?;
        Ok((array.as_ptr().cast(), array.len() * size_of::<T>()))
    })
}

/// Makes a tensor over the memory of `tensor`, which is in row-major order and must outlive it.
fn borrowed(tensor: &Tensor) -> Result<Owned<sys::OrtValue>, BackendError> {
    let element = element_type(tensor.dtype())?;
    let (data, length) = memory(tensor).map_err(BackendError::run)?;
    let (shape, place) = (extents(tensor.shape())?, MemoryInfo::default());
    // SAFETY: `data` holds `length` bytes of elements in row-major order; the runtime does not write to its
    // inputs; the caller keeps the memory alive.
    let value = unsafe {
        Owned::create(|out| {
            call!(CreateTensorWithDataAsOrtValue(
                place.ptr(),
                data.cast_mut(),
                length,
                shape.as_ptr(),
                shape.len(),
                element,
                out
            ))
        })
    };
    value.map_err(error::run)
}

/// Allocates a tensor in the memory of the runtime, uninitialized.
fn allocated(shape: &[usize], dtype: DType) -> Result<Owned<sys::OrtValue>, BackendError> {
    let (element, shape, allocator) = (element_type(dtype)?, extents(shape)?, Allocator::default());
    // SAFETY: allocator and shape are valid; the value is released by its owner.
    let value = unsafe {
        Owned::create(|out| {
            call!(CreateTensorAsOrtValue(
                allocator.ptr().cast_mut(),
                shape.as_ptr(),
                shape.len(),
                element,
                out
            ))
        })
    };
    value.map_err(error::run)
}

/// Makes a tensor with the packed `bytes` of the elements of `tensor`.
fn copied(tensor: &Tensor, bytes: &[u8]) -> Result<Owned<sys::OrtValue>, BackendError> {
    let mut value = allocated(tensor.shape(), tensor.dtype())?;
    let mut data = ptr::null_mut();
    // SAFETY: the value is valid.
    unsafe { call!(GetTensorMutableData(value.as_mut_ptr(), &mut data)) }.map_err(error::run)?;
    if !data.is_null() {
        // SAFETY: the runtime stores packed elements without gaps, so `data` has room for all of them; the
        // two do not overlap.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast(), bytes.len()) };
    }
    Ok(value)
}

/// Makes a tensor of strings. Runtimes before 1.15 accept no string with a NUL.
fn string_tensor<'a>(
    shape: &[usize],
    strings: impl Iterator<Item = &'a String>,
    minor: u32,
) -> Result<Owned<sys::OrtValue>, BackendError> {
    let mut value = allocated(shape, DType::String)?;
    for (index, text) in strings.enumerate() {
        if has!(minor, GetResizedStringTensorElementBuffer) {
            set_string(&mut value, index, text)?;
        } else {
            set_c_string(&mut value, index, text)?;
        }
    }
    Ok(value)
}

fn set_string(value: &mut Owned<sys::OrtValue>, index: usize, text: &str) -> Result<(), BackendError> {
    let mut buffer = ptr::null_mut();
    // SAFETY: the value is a tensor of strings; an index out of range is an error status.
    let status = unsafe {
        call!(GetResizedStringTensorElementBuffer(
            value.as_mut_ptr(),
            index,
            text.len(),
            &mut buffer
        ))
    };
    status.map_err(error::run)?;
    if !buffer.is_null() {
        // SAFETY: the runtime allocated room for the bytes of `text`.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), text.len()) };
    }
    Ok(())
}

fn set_c_string(value: &mut Owned<sys::OrtValue>, index: usize, text: &str) -> Result<(), BackendError> {
    let text = CString::new(text).map_err(|_| {
        BackendError::unsupported("ONNX Runtime before 1.15 has no strings that contain a NUL")
    })?;
    // SAFETY: the value is a tensor of strings, and an index out of range is an error status; the runtime
    // copies the string.
    unsafe { call!(FillStringTensorElement(value.as_mut_ptr(), text.as_ptr(), index)) }.map_err(error::run)
}
