//! Element type and shape of a tensor of the runtime.

use backend_api::BackendError;
use onnx_tensor::DType;
use ort::sys;

use crate::error;
use crate::ffi::{Owned, call, dtype};

/// Returns the element type and the shape.
pub(super) fn described(
    info: &Owned<sys::OrtTensorTypeAndShapeInfo>,
) -> Result<(DType, Vec<usize>), BackendError> {
    let mut element = 0_i32;
    // SAFETY: the description is valid; the enum has the size of i32.
    unsafe { call!(GetTensorElementType(info.as_ptr(), (&raw mut element).cast())) }.map_err(error::run)?;
    Ok((dtype(element)?, shape(info)?))
}

pub(super) fn shape(info: &Owned<sys::OrtTensorTypeAndShapeInfo>) -> Result<Vec<usize>, BackendError> {
    let mut rank = 0;
    // SAFETY: the description is valid.
    unsafe { call!(GetDimensionsCount(info.as_ptr(), &mut rank)) }.map_err(error::run)?;
    let mut extents = vec![0_i64; rank];
    // SAFETY: the buffer has this length.
    unsafe { call!(GetDimensions(info.as_ptr(), extents.as_mut_ptr(), rank)) }.map_err(error::run)?;
    let extent = |&extent: &i64| {
        usize::try_from(extent).map_err(|_| BackendError::run(format!("an output has the extent {extent}")))
    };
    extents.iter().map(extent).collect()
}
