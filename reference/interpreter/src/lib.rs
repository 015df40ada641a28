//! The reference interpreter: runs a model exactly as the specification says.
//!
//! # Purpose
//! Ground truth. The interpreter checks a model before it runs (crate `onnx-checker`; a [`Deviation`] names
//! each accepted violation), binds every node to one version of its operator by the model's opset imports
//! ([`bind()`]), and evaluates it with `onnx-operators`. Anything unknown, deprecated, of a wrong type or
//! over budget is a typed error that names the node and the version ([`InterpretError`]). Nothing is
//! guessed, narrowed or taken from a newer version.
//!
//! # Scope
//! It is not an inference engine: it neither optimises nor fuses. It does not judge: the harness compares
//! outputs, in another process.
//!
//! # Overview of modules
//! - [`Program`]: a checked model; [`run()`] checks and runs in one call. `run` feeds a graph, runs its
//!   nodes in order and frees a value after its last use.
//! - `scope`: names; a body sees the names of the enclosing graphs, a function only its own.
//! - [`bind()`]: maps a node to (operator, since_version), or to a function of the model, which has
//!   priority.
//! - `conform`: checks the values of one call against the type sets, if the checker could not infer them.
//! - `body`: the function bodies of ONNX, which can run instead of the reference's own code as a second
//!   oracle.
//! - [`run_bounded()`]: runs a model and computes the forward error bound of every output (`onnx-bounds`).
//! - [`Limits`]: bytes of one value and of all, steps, operations on elements, depth of functions,
//!   strictness.
//! - [`Observer`]: is called for each node that ran, with its time.
//! - `noise`: random rounding, by classes of honest arithmetic; `settled`: the values that it does not
//!   change.
//! - `unspecified`: draws and conversions that the specification does not determine.
//! - `wide`: 16-bit values that stay in float from node to node.

mod bind;
mod body;
mod conform;
mod deviation;
mod error;
mod feed;
mod last_use;
mod limits;
mod nan;
mod noise;
mod observer;
mod order;
mod origin;
mod program;
mod run;
mod scope;
mod settled;
mod text;
mod unspecified;
mod wide;

pub use bind::{Binding, bind, implemented, label};
pub use error::{InterpretError, NodeProblem, Refusal};
pub use limits::Limits;
pub use noise::Arithmetic;
pub use observer::{NodeRun, Observer};
pub use onnx_bounds::{Radius, Sets, Span};
pub use onnx_operators::frame::{Deviation, QUESTIONS, Question, Reading, Readings, Unspecified};
pub use program::{Program, run, run_bounded};
