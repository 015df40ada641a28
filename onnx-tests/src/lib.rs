//! The tests of the project's backends against ONNX: which cases, which baselines, and how they are run by `cargo test`.
//!
//! - [`own`]: cases of this project, for versions that no official case exercises.
//! - [`workers`]: builds the executables that the tests run.
pub mod own;
pub mod workers;
