//! ONNX Runtime as a backend, and `onnx-worker-ort`, the worker that serves it.
//!
//! The runtime is a shared library of Microsoft's that is loaded when the worker starts: the option `library` names its
//! file, or the variable `ORT_DYLIB_PATH`, which the harness sets to the one out of the pinned wheel. Nothing is
//! downloaded at build time, and nothing of the runtime is linked.
//!
//! # The way through it
//! - [`Settings`]: the options, read by name and validated.
//! - `runtime`: the library, its environment, its execution providers; one of each for a process.
//! - `session_options`, `session`: a model loaded and run.
//! - `values`: values in (`feed`) and out (`fetch`). Types of outputs are what the runtime says, never what the model
//!   declares; only whether a value stands in an optional comes from the declaration, since the runtime hands out the inside.
//! - `ffi`: the part of the C interface that is used directly. The crate `ort` loads the library and holds the environment;
//!   sessions and values go through the C interface, because `ort`'s own panic, or read through null, on types that a model
//!   file can contain.
//!
//! # What is carried
//! Dense tensors of every element type but complex numbers and 6-bit floats, which the runtime has no name for; whole-byte
//! types are lent to the runtime, narrower ones packed. Strings with any content that is UTF-8. Sparse tensors in coordinate form.
//! Sequences of tensors and of maps; an empty one is made by a `SequenceEmpty` model, which has kernels for types of 16
//! bits and more, for int8, uint8, bool and strings. Maps from int64 or strings to single elements. Optionals: an absent
//! one is fed by leaving the input out.
//!
//! # What is declined, and as what
//! The status code `NOT_IMPLEMENTED` is [`Unsupported`](backend_api::BackendError::Unsupported), and so is a value that
//! cannot be carried. Every other status is an error of loading or running, with the runtime's own first line: that an
//! operator is unknown, or an opset not released, is said with a code that also means failure, and messages are not
//! interpreted. Signals are not caught: an integer division of the runtime can end the worker by `SIGFPE`, and an endless
//! `Loop` ends with the harness's deadline.
//!
//! # Locales
//! `StringNormalizer` fails to load where the C library finds no locale of the name that its attribute `locale` gives,
//! `en_US.UTF-8` by default, and slim machines have only `C`. On Linux, `localedef -i en_US -f UTF-8 DIR/en_US.UTF-8`
//! makes it in any folder without special rights, and a worker started with `LOCPATH=DIR` finds it: eight of the official
//! cases of ONNX 1.22.0 depend on it.

mod backend;
mod error;
mod ffi;
mod runtime;
mod session;
mod session_options;
mod settings;
mod values;

pub use backend::OrtBackend;
pub use settings::{Optimization, Settings};
