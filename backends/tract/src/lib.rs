//! tract as a backend, and its worker `onnx-worker-tract`.
//!
//! This is an adapter for `tract-onnx`. tract is linked and takes the longest part of the whole build, so
//! only this worker depends on this crate.
//!
//! # Contents
//! - [`Settings`]: the options (`constants`, `optimize`, `threads`).
//! - [`Tract`]: the [`Backend`](backend_api::Backend). A load calls `parse` (file to graph, with its inputs
//!   classified) and `session` (graph to plan, and its runs); `interface` holds the inputs and outputs.
//! - `profile`: the times of a plan's nodes.
//! - `value`: conversion of tensors.
//! - `unsupported`: distinguishes missing features of tract from failures.
//!
//! # Properties of tract
//! - **Every shape is inferred before a run.** Most operators that have a shape, axes or pads as an input do
//!   not load unless that input is a constant. A person who deploys a model with tract makes such inputs
//!   constants, so integer and boolean inputs that are known at load become constants by default;
//!   `constants=none` disables that. A constant cannot change: another value in a run is an error, never a
//!   wrong answer.
//! - **The first run determines open extents.** If the file leaves an extent open and no values are known at
//!   load, the plan is made for the shapes of the run, and made again when they change.
//! - **Operators are looked up by name only.** tract ignores domain and opset and loads any opset. The
//!   adapter does not change that, because the harness tests the behavior of tract.
//! - **An initializer is never an input.** The file may allow to override it; tract does not, so that is an
//!   error.
//! - **Extents have their own type** (`TDim`, which can hold symbols). As an output it becomes int64; all
//!   other outputs keep the type of tract, right or wrong.
//!
//! # Unsupported features
//! Types that tract has no values of: bfloat16, fp8, fp4, int4 and int2, complex numbers (which tract has,
//! but not its ONNX reader), sequences, maps, optionals, sparse tensors. Operators that are missing from the
//! register of tract. Both are found in the model, never in a message. Every other failure is a load or run
//! error, even if its message says that something is not supported.
//!
//! # Limitations
//! Panics and aborts are not caught: tract panics on a division by zero or an index out of bounds, which ends
//! the worker and is the verdict of the case.

mod backend;
mod interface;
mod parse;
mod profile;
mod session;
mod settings;
mod unsupported;
mod value;

/// The device of all nodes.
const DEVICE: &str = "cpu";

pub use backend::{TRACT_VERSION, Tract};
pub use settings::{Constants, Settings};
