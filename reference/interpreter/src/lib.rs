//! The reference interpreter: runs a model with the meaning that the specification gives it, and no other.
//!
//! # What it is
//! Ground truth. A model is held against the specification before it runs (crate `onnx-checker`; [`Deviation`] names the few
//! breaches that are run in spite of); every node is bound to one version of its operator by the model's opset imports
//! ([`bind()`]) and evaluated by `onnx-operators`. What is unknown, deprecated, of a wrong type or over budget is a typed error
//! that names the node and the version ([`InterpretError`]); nothing is guessed, narrowed or taken from a newer version.
//!
//! # What it is not
//! It is no inference engine: it neither optimises nor fuses, and keeps every rule visible. It judges nobody: comparing
//! outputs is the harness' task, in another process.
//!
//! # The way through it
//! - [`Program`]: a model that was checked; [`run()`] does both in one. `run` feeds a graph, runs its nodes in order, frees
//!   a value after its last use.
//! - `scope`: names; a body sees the names of the graph around it, a function only its own.
//! - [`bind()`]: node to (operator, since-version), or to a function of the model, which goes first.
//! - `conform`: the values of one call against the type sets, for what no check could infer.
//! - `body`: the function bodies of ONNX, which can be run in place of our own code as a second oracle.
//! - [`run_bounded()`]: the same with the forward-error bound of every output (`onnx-bounds`).
//! - [`Limits`]: bytes of one value and of all, steps, operations on elements, depth of functions, [`Deviation`]s or none.
//! - `structural`: what random rounding (`noise`) leaves alone.

mod bind;
mod body;
mod conform;
mod error;
mod feed;
mod last_use;
mod leniency;
mod limits;
mod noise;
mod order;
mod program;
mod run;
mod scope;
mod structural;
mod text;

pub use bind::{Binding, bind, implemented, label};
pub use error::{InterpretError, NodeProblem, Refusal};
pub use limits::Limits;
pub use onnx_bounds::Radius;
pub use onnx_operators::frame::{Deviation, QUESTIONS, Question, Reading, Readings};
pub use program::{Program, run, run_bounded};
