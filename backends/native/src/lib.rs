//! Our own inference backend: a graph compiler and kernels, written for speed and held to the same tests as everyone.
//!
//! A model is imported into a graph in single assignment ([`import`](crate)), rewritten by a list of passes, planned for the
//! shapes of its inputs, and run step by step on kernels that are bound to those shapes. What there is no code for is found
//! at load and answered as *unsupported*, with the operator and its since; the reference's code is never called, and this
//! crate does not link it.
//!
//! # The way through it
//! - `ir`: values, nodes, graphs, and their text.
//! - `import`: from `onnx_model::Model` to a graph; functions are put in place of their calls, captured values become inputs.
//! - `passes`: one file for each rewrite.
//! - `ops`: every operator over whole values of any element type: shape arithmetic, constant folding, rare types.
//! - `exec`: what runs a graph.
//! - [`Native`], [`Settings`]: the backend for the worker protocol, and its options.
//!
//! # Invariants
//! - No panic is reachable from a model or its inputs: sizes are checked before memory is taken (`size`), the parameters of
//!   windows before anything follows from them (`ops::Window`). Should there be one all the same, it ends a request (`guard`).
//! - A value has one definition, and a pass never changes what a graph computes.
//! - Integers are exact; floats are rounded once for each operator, f32 sums excepted; functions of
//!   halves are computed in f32 and rounded to halves.

mod backend;
mod error;
mod exec;
mod guard;
mod import;
mod ir;
mod kernels;
mod ops;
mod passes;
mod settings;
mod size;

pub use backend::Native;
pub use guard::INTERNAL_ERROR;
pub use passes::Rewrites;
pub use settings::Settings;
