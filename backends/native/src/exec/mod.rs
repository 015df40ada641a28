//! Running a graph: a plan for the shapes of its inputs, its steps one after the other.
//!
//! - `program`: a graph with the plans made of it so far.
//! - `plan`: from a graph with settled shapes to steps, each bound to its kernel and to where its values lie.
//! - `arena`: one buffer for all values between kernels; values that never live at the same time share their place.
//! - `general`: a node over whole values, for what has no kernel; `branch`, `repeat`, `scan` run bodies.
//! - `late`: a node whose shapes are known only when it runs.

mod arena;
mod branch;
mod composed;
mod general;
mod join;
mod late;
mod plan;
mod profile;
mod program;
mod repeat;
mod run;
mod scan;
mod specialize;
mod stack;

pub use general::evaluate;
pub use program::Program;
