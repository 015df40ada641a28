//! The tests of the project's backends against ONNX: which cases, which baselines, and how they are run by `cargo test`.
//!
//! - [`workers`]: builds the executables that the tests run.

pub mod workers;
