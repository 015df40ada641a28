//! Runs a graph: compiles a plan for the shapes of its inputs and executes its steps in order.
//!
//! - `program`: a graph with its plans.
//! - `plan`: compiles a graph with known shapes to steps, each with its kernel and the locations of its
//!   values.
//! - `arena`: one buffer for all values between kernels; values that are never live at the same time share
//!   memory.
//! - `general`: runs a node without a kernel over whole values; `branch`, `repeat` and `scan` run bodies.
//! - `deferred`: runs a node whose shapes are known only when it runs.

mod arena;
mod branch;
mod composed;
mod deferred;
mod general;
mod join;
mod plan;
mod profile;
mod program;
mod repeat;
mod run;
mod scan;
mod scan_batch;
mod specialize;
mod stack;

#[cfg(test)]
pub use general::evaluate;
pub use general::fold;
pub use program::Program;
