//! Running a graph.

mod branch;
mod general;
mod program;
mod repeat;
mod scan;

pub use general::evaluate;
pub use program::Program;
