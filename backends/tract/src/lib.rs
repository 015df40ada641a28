//! tract, as a backend of the conformance harness.
//!
//! An adapter over `tract-onnx`, and the worker `onnx-worker-tract` around it. tract is linked in, and is by far the
//! longest part of the whole build, which is why nothing but this worker depends on this crate.
//!
//! # The way through it
//! - [`Settings`]: the options (`constants`, `optimize`, `threads`).
//! - [`Tract`]: the [`Backend`](backend_api::Backend). `load` goes through `parse` (file to graph, inputs settled) and
//!   `session` (graph to plan, and its runs, between which `interface` holds the inputs and outputs).
//! - `value`: tensors in and out.
//! - `unsupported`: tells what tract does not have from what it does wrongly.
//!
//! # What tract is like, and what follows
//! - **Every shape is inferred before anything runs.** An operator that takes a shape, axes or pads as an input mostly does
//!   not load unless that input is a constant. A person who deploys a model with tract writes such inputs into it, so
//!   integer and boolean inputs that are known at load become constants by default; `constants=none` shows tract without
//!   that help. A constant can no longer change: another value in a run is an error, never a silently wrong answer.
//! - **Open extents are closed by the first run.** Where the file leaves an extent open and no values come at load, the
//!   plan is made for the shapes of the run, and made again when they change.
//! - **Operators are found by name alone.** Neither domain nor opset is looked at, and any opset loads. That is left as it
//!   is: the harness is to see what tract does, not what it ought to decline.
//! - **An initializer is never an input.** The file may allow to override it; tract does not, so doing it is an error.
//! - **Extents are their own type** (`TDim`, which can hold symbols). One that is asked for as an output becomes the int64
//!   it stands for; all other outputs keep the type that tract gave them, right or wrong.
//!
//! # What is Unsupported
//! Types that tract has no values of: bfloat16, fp8, fp4, int4 and int2, complex numbers (tract has them, its ONNX reader
//! does not), sequences, maps, optionals, sparse tensors. Operators that are missing from tract's register. Both are found by
//! looking at the model, never by reading a message; all else that goes wrong is a load or run error, also where
//! the message says that something is not supported.
//!
//! # What this crate does not do
//! It catches no panic and no abort: tract panics on a division by zero or an index out of bounds, and that costs the worker
//! its life and the case its verdict.

mod backend;
mod interface;
mod parse;
mod session;
mod settings;
mod unsupported;
mod value;

/// Where everything runs.
const DEVICE: &str = "cpu";

pub use backend::{TRACT_VERSION, Tract};
pub use settings::{Constants, Settings};
