//! Sparse tensors in coordinate form, the only one that ONNX has.

use std::ptr;

use backend_api::BackendError;
use onnx_tensor::{SparseTensor, Tensor};
use ort::AsPointer;
use ort::memory::{Allocator, MemoryInfo};
use ort::sys::{self, OrtSparseFormat, OrtSparseIndicesFormat};

use super::described::{described, shape};
use super::feed::{extents, memory};
use super::fetch::elements;
use crate::error;
use crate::ffi::{Owned, call, element_type};

/// Makes a sparse tensor of the runtime, which copies values and indices.
pub(super) fn feed(tensor: &SparseTensor) -> Result<Owned<sys::OrtValue>, BackendError> {
    let (values, indices) = (tensor.values.to_standard(), tensor.indices.to_standard());
    let element = element_type(values.dtype())?;
    let (data, _) = memory(&values)
        .map_err(|_| BackendError::unsupported(format!("sparse tensors of {}", values.dtype())))?;
    let indices = indices.to_vec::<i64>().map_err(BackendError::run)?;
    let (dense, counts) = (extents(&tensor.shape)?, extents(values.shape())?);
    let (allocator, place) = (Allocator::default(), MemoryInfo::default());
    // SAFETY: allocator and shape are valid; the value is released by its owner.
    let value = unsafe {
        Owned::create(|out| {
            let allocator = allocator.ptr().cast_mut();
            call!(CreateSparseTensorAsOrtValue(
                allocator,
                dense.as_ptr(),
                dense.len(),
                element,
                out
            ))
        })
    };
    let mut value = value.map_err(error::run)?;
    // SAFETY: value, shape, elements and indices are valid for the call and have these lengths.
    let status = unsafe {
        call!(FillSparseTensorCoo(
            value.as_mut_ptr(),
            place.ptr(),
            counts.as_ptr(),
            counts.len(),
            data,
            indices.as_ptr(),
            indices.len()
        ))
    };
    status.map_err(error::run)?;
    Ok(value)
}

/// Converts a sparse tensor of the runtime.
pub(super) fn fetch(value: &Owned<sys::OrtValue>) -> Result<SparseTensor, BackendError> {
    let mut format = 0_i32;
    // SAFETY: the value is a sparse tensor; the enum has the size of i32.
    unsafe { call!(GetSparseTensorFormat(value.as_ptr(), (&raw mut format).cast())) }.map_err(error::run)?;
    if format != OrtSparseFormat::ORT_SPARSE_COO as i32 {
        return Err(BackendError::unsupported(
            "ONNX Runtime returned a sparse tensor that is not in coordinate form",
        ));
    }
    // SAFETY: the value is valid; the description is released by its owner.
    let dense = unsafe { Owned::create(|out| call!(GetTensorTypeAndShape(value.as_ptr(), out))) };
    Ok(SparseTensor {
        values: values(value)?,
        indices: indices(value)?,
        shape: shape(&dense.map_err(error::run)?)?,
    })
}

fn values(value: &Owned<sys::OrtValue>) -> Result<Tensor, BackendError> {
    // SAFETY: the value is a sparse tensor; the description is released by its owner.
    let info = unsafe { Owned::create(|out| call!(GetSparseTensorValuesTypeAndShape(value.as_ptr(), out))) };
    let info = info.map_err(error::run)?;
    let mut data = ptr::null();
    // SAFETY: the value is a sparse tensor.
    unsafe { call!(GetSparseTensorValues(value.as_ptr(), &mut data)) }.map_err(error::run)?;
    let (dtype, shape) = described(&info)?;
    // SAFETY: the runtime holds the number of values of the shape, of this type.
    unsafe { elements(dtype, &shape, data.cast()) }
}

fn indices(value: &Owned<sys::OrtValue>) -> Result<Tensor, BackendError> {
    const COO: OrtSparseIndicesFormat = OrtSparseIndicesFormat::ORT_SPARSE_COO_INDICES;
    // SAFETY: the value is a sparse tensor in coordinate form; the description is released by its owner.
    let info =
        unsafe { Owned::create(|out| call!(GetSparseTensorIndicesTypeShape(value.as_ptr(), COO, out))) };
    let (mut count, mut data) = (0, ptr::null());
    // SAFETY: as above; the indices belong to the value.
    unsafe { call!(GetSparseTensorIndices(value.as_ptr(), COO, &mut count, &mut data)) }
        .map_err(error::run)?;
    let shape = shape(&info.map_err(error::run)?)?;
    // SAFETY: coordinates are 64-bit integers, as many as the shape has.
    unsafe { elements(onnx_tensor::DType::Int64, &shape, data.cast()) }
}
