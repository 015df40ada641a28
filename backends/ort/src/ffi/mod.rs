//! The parts of ONNX Runtime's C interface that the safe wrapper of `ort` does not cover.
//!
//! `Session` and `Value` of `ort` panic on types that they do not know (a sequence of sequences, an absent
//! optional), and its session builder always requests automatic device selection. So this module has its own
//! handles for sessions and values. `ort` still provides the library, the environment, allocators and
//! statuses.

use std::ffi::{CString, c_char, c_void};

use ort::sys;

mod assignment;
mod built_in;
mod handle;
pub(crate) mod interface;
mod plugins;
mod session;
mod types;

pub(crate) use assignment::Assignment;
pub(crate) use built_in::{CUDA, TENSORRT, append_cuda, append_tensorrt};
pub(crate) use handle::Owned;
pub(crate) use plugins::{Device, Plugins};
pub(crate) use session::Session;
pub(crate) use types::{dtype, element_type, value_type};

/// Calls a function of the C interface and converts its status to a [`Result`]. The caller wraps it in
/// `unsafe` and states why the arguments are valid.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {
        ort::Error::result_from_status((ort::api().$name)($($argument),*))
    };
}
pub(crate) use call;

/// Returns the table of functions of this version of the interface; `None` if a runtime of version 1.`minor`
/// is too old. It has all functions of the version, each a pointer.
///
/// # Safety
/// `base` is the result of `OrtGetApiBase` of a loaded runtime.
unsafe fn interface_table(
    base: *const sys::OrtApiBase,
    version: u32,
    minor: u32,
) -> Option<*const *const c_void> {
    // An older runtime writes a complaint to stderr if it is asked.
    if minor < version {
        return None;
    }
    // SAFETY: the base is valid. The runtime returns null for an interface that it does not have.
    let table: *const *const c_void = unsafe { ((*base).GetApi)(version) }.cast();
    (!table.is_null()).then_some(table)
}

/// Returns the pointers to keys and values, as functions with options take them.
pub(crate) fn key_value_pointers(options: &[(CString, CString)]) -> (Vec<*const c_char>, Vec<*const c_char>) {
    options
        .iter()
        .map(|(key, value)| (key.as_ptr(), value.as_ptr()))
        .unzip()
}
