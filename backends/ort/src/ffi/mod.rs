//! The few parts of ONNX Runtime's C interface that the safe wrapper of `ort` cannot serve.
//!
//! `ort`'s own `Session` and `Value` panic on types they have no name for (a sequence of sequences, an absent optional) and
//! its session builder always asks for automatic device selection, so sessions and values are held here, by owned handles.
//! Loading the library, the environment, allocators and statuses stay with `ort`.

mod assignment;
mod handle;
mod session;
mod types;

pub(crate) use assignment::Assignment;
pub(crate) use handle::Owned;
pub(crate) use session::Session;
pub(crate) use types::{dtype, element_type, value_type};

/// Calls a function of the C interface and turns its status into a [`Result`]. The caller wraps it in `unsafe` and says
/// why the arguments are valid.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {
        ort::Error::result_from_status((ort::api().$name)($($argument),*))
    };
}
pub(crate) use call;
