//! The parts of ONNX Runtime's C interface that the safe wrapper of `ort` does not cover.
//!
//! `Session` and `Value` of `ort` panic on types that they do not know (a sequence of sequences, an absent
//! optional), and its session builder always requests automatic device selection. So this module has its own
//! handles for sessions and values. `ort` still provides the library, the environment, allocators and
//! statuses.

mod assignment;
mod built_in;
mod handle;
pub(crate) mod interface;
mod plugins;
mod session;
mod types;

pub(crate) use assignment::Assignment;
pub(crate) use built_in::{CUDA, SINCE, TENSORRT, append_cuda, append_tensorrt};
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
