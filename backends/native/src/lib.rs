//! Our own inference backend: a graph compiler and kernels, optimized for speed and tested like
//! every other backend.
//!
//! A model is imported into a graph in static single assignment form ([`import`](crate)), rewritten
//! by a list of passes, planned for the shapes of its inputs, and run step by step on kernels for
//! those shapes. Unimplemented operators are found at load and are *unsupported*, with the operator
//! and its version. This crate does not link the reference.
//!
//! # Contents, from the bottom to the top
//! - `native-operators` (here `ops`): every operator over whole values.
//! - `ir`: values, nodes, graphs, and their text.
//! - `kernels`: binds nodes with known shapes to the kernels of `native-kernels`.
//! - `passes`: one file for each rewrite; `rewrites` is the set of those that run, `dump` writes
//!   their results.
//! - `exec`: runs a graph.
//! - `import`: converts an `onnx_model::Model` to a graph; calls are replaced by function bodies,
//!   captured values become inputs.
//! - [`Native`], [`Settings`]: the backend for the worker protocol, and its options.
//!
//! # Invariants
//! - No panic is reachable from a model or its inputs. Sizes are checked before memory is allocated
//!   (`size`), and the parameters of windows before they are used (`ops::Window`). If a panic
//!   happens nevertheless, it ends only the request (`guard`).
//! - A value has one definition, and a pass never changes what a graph computes.
//! - Integers are exact. Floats are rounded once for each operator, except sums in f32; functions
//!   of halves are computed in f32 and rounded to halves.

mod backend;
mod dump;
mod exec;
#[cfg(test)]
mod fixture;
mod guard;
mod import;
mod ir;
mod kernels;
mod passes;
mod rewrites;
mod settings;

use native_operators as ops;
use native_operators::{attributes, error, size};

pub use backend::Native;
pub use guard::INTERNAL_ERROR;
pub use rewrites::Rewrites;
pub use settings::Settings;
