//! rten, as a backend of the conformance harness.
//!
//! An adapter over [rten](https://github.com/robertknight/rten), and the worker `onnx-worker-rten` around it. It is here as a
//! yardstick of speed, the fastest inference engine that is Rust all the way down: `cargo xtask bench --backend rten` times
//! it beside the others. It runs the official cases as any backend does, but not by default: rten does not mean to cover
//! the whole of ONNX.
//!
//! # The way through it
//! - [`Settings`]: the options (`optimize`, `prepack`, `threads`).
//! - [`Rten`]: the [`Backend`](backend_api::Backend).
//! - `session`: a loaded model and its runs.
//! - `value`: tensors in and out.
//!
//! # What rten is like, and what follows
//! - **It has four element types**: f32, i32, i8 and u8. An int64 or bool becomes i32 as rten itself reads it from a file, and
//!   an i32 that is computed for an output which the file declares to be one of them is turned back. An int64 that i32
//!   cannot hold is *Unsupported*, never cut short.
//! - **A double or float16 inside a model becomes f32**, silently. That is left as it is: the harness is to see it. Fed as an
//!   input, either is *Unsupported*.
//! - **External data is given by name or path.** The worker is given bytes and a folder, so a model with external data is
//!   loaded again with that data inside, which `onnx-model` reads.
//! - **An operator that rten refuses to read** is *Unsupported*: rten says so by the kind of its error
//!   ([`LoadErrorKind::OperatorInvalid`](rten::LoadErrorKind)), for an operator, a version or an attribute that it lacks. All
//!   else that goes wrong is a load or run error.
//!
//! # What this crate does not do
//! Sequences, maps, optionals and sparse tensors do not pass, though rten has sequences inside a model. It catches no panic.

mod backend;
mod session;
mod settings;
mod value;

/// Where everything runs.
const DEVICE: &str = "cpu";

pub use backend::{RTEN_VERSION, Rten};
pub use settings::Settings;
