//! rten as a backend, and its worker `onnx-worker-rten`.
//!
//! This is an adapter for [rten](https://github.com/robertknight/rten), the fastest inference engine that is
//! written entirely in Rust. It serves as a reference for speed: `cargo xtask bench --backend rten` measures
//! it next to the others. It can run the official cases, but does not by default, because rten does not aim
//! to cover all of ONNX.
//!
//! # Contents
//! - [`Settings`]: the options (`optimize`, `prepack`, `threads`).
//! - [`Rten`]: the [`Backend`](backend_api::Backend).
//! - `session`: a loaded model and its runs.
//! - `value`: conversion of tensors.
//!
//! # Properties of rten
//! - **It has four element types**: f32, i32, i8 and u8. An int64 or bool input becomes i32, as in rten's own
//!   loader, and an i32 output becomes the int64 or bool that the file declares. An int64 that does not fit
//!   i32 is *Unsupported*, never truncated.
//! - **A double or float16 inside of a model becomes f32**, without an error. The adapter does not change
//!   that, so the harness sees it. As an input, either is *Unsupported*.
//! - **rten reads external data by name or path.** The worker receives bytes and a folder, so `onnx-model`
//!   reads a model with external data, and rten loads it with that data included.
//! - **An operator that rten does not load** is *Unsupported*. rten reports it by the kind of its error
//!   ([`LoadErrorKind::OperatorInvalid`](rten::LoadErrorKind)), for an operator, a version or an attribute.
//!   Every other failure is a load or run error.
//!
//! # Limitations
//! Sequences, maps, optionals and sparse tensors are not supported as inputs and outputs, although rten has
//! sequences inside of a model. Panics are not caught.

mod backend;
mod session;
mod settings;
mod value;

/// The device of all nodes.
const DEVICE: &str = "cpu";

pub use backend::{RTEN_VERSION, Rten};
pub use settings::Settings;
