//! Providers of the runtime itself that have functions of their own for their options: CUDA and TensorRT. The
//! function for all other providers does not know their names. A runtime that is too old for these functions
//! returns `NOT_IMPLEMENTED` ([`super::interface`]).

use std::ffi::CString;

use ort::sys;

use super::handle::Release;
use super::{Owned, call, key_value_pointers};

/// The name of the provider for CUDA.
pub(crate) const CUDA: &str = "CUDAExecutionProvider";
/// The name of the provider for TensorRT.
pub(crate) const TENSORRT: &str = "TensorrtExecutionProvider";

macro_rules! provider {
    ($name:ident of $options:ident: $create:ident, $update:ident, $append:ident, $release:ident) => {
        impl Release for sys::$options {
            unsafe fn release(object: *mut Self) {
                // SAFETY: the caller owns `object` and does not use it again.
                unsafe { (ort::api().$release)(object) }
            }
        }

        /// Makes a session use the provider, with options.
        pub(crate) fn $name(
            session: &mut Owned<sys::OrtSessionOptions>,
            options: &[(CString, CString)],
        ) -> ort::Result<()> {
            let (keys, values) = key_value_pointers(options);
            // SAFETY: the new object is released by its owner; the arrays have this length, and the runtime
            // copies the strings and the options.
            unsafe {
                let mut provider = Owned::<sys::$options>::create(|out| call!($create(out)))?;
                let raw = provider.as_mut_ptr();
                call!($update(raw, keys.as_ptr(), values.as_ptr(), options.len()))?;
                call!($append(session.as_mut_ptr(), provider.as_ptr()))
            }
        }
    };
}

provider!(append_cuda of OrtCUDAProviderOptionsV2: CreateCUDAProviderOptions, UpdateCUDAProviderOptions,
    SessionOptionsAppendExecutionProvider_CUDA_V2, ReleaseCUDAProviderOptions);
provider!(append_tensorrt of OrtTensorRTProviderOptionsV2: CreateTensorRTProviderOptions,
    UpdateTensorRTProviderOptions, SessionOptionsAppendExecutionProvider_TensorRT_V2,
    ReleaseTensorRTProviderOptions);
