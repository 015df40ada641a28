//! Providers of the runtime itself that have functions of their own for their options: CUDA and TensorRT. The
//! function for all other providers does not know their names.

use std::ffi::{CString, c_char};

use ort::sys;

use super::handle::Release;
use super::{Owned, call};

/// The name of the provider for CUDA.
pub(crate) const CUDA: &str = "CUDAExecutionProvider";
/// The name of the provider for TensorRT.
pub(crate) const TENSORRT: &str = "TensorrtExecutionProvider";

/// The first minor version of the runtime that has the functions of both.
pub(crate) const SINCE: u32 = 11;

impl Release for sys::OrtCUDAProviderOptionsV2 {
    unsafe fn release(object: *mut Self) {
        // SAFETY: the caller owns `object` and does not use it again.
        unsafe { (ort::api().ReleaseCUDAProviderOptions)(object) }
    }
}

impl Release for sys::OrtTensorRTProviderOptionsV2 {
    unsafe fn release(object: *mut Self) {
        // SAFETY: the caller owns `object` and does not use it again.
        unsafe { (ort::api().ReleaseTensorRTProviderOptions)(object) }
    }
}

/// Makes a session use CUDA, with options of the provider. The runtime is of version 1.11 or later.
pub(crate) fn append_cuda(
    session: &mut Owned<sys::OrtSessionOptions>,
    options: &[(CString, CString)],
) -> ort::Result<()> {
    let (keys, values) = texts(options);
    // SAFETY: the new object is released by its owner; the arrays have this length, and the runtime copies
    // the strings and the options.
    unsafe {
        let mut provider = Owned::create(|out| call!(CreateCUDAProviderOptions(out)))?;
        let raw = provider.as_mut_ptr();
        call!(UpdateCUDAProviderOptions(
            raw,
            keys.as_ptr(),
            values.as_ptr(),
            options.len()
        ))?;
        call!(SessionOptionsAppendExecutionProvider_CUDA_V2(
            session.as_mut_ptr(),
            provider.as_ptr()
        ))
    }
}

/// Makes a session use TensorRT, as [`append_cuda`].
pub(crate) fn append_tensorrt(
    session: &mut Owned<sys::OrtSessionOptions>,
    options: &[(CString, CString)],
) -> ort::Result<()> {
    let (keys, values) = texts(options);
    // SAFETY: as above.
    unsafe {
        let mut provider = Owned::create(|out| call!(CreateTensorRTProviderOptions(out)))?;
        let raw = provider.as_mut_ptr();
        call!(UpdateTensorRTProviderOptions(
            raw,
            keys.as_ptr(),
            values.as_ptr(),
            options.len()
        ))?;
        call!(SessionOptionsAppendExecutionProvider_TensorRT_V2(
            session.as_mut_ptr(),
            provider.as_ptr()
        ))
    }
}

fn texts(options: &[(CString, CString)]) -> (Vec<*const c_char>, Vec<*const c_char>) {
    options
        .iter()
        .map(|(key, value)| (key.as_ptr(), value.as_ptr()))
        .unzip()
}
