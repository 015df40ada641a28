//! The tests of the project's backends against ONNX: which cases, which baselines, and how they are run by `cargo test`.
//!
//! - [`versions`]: which operator versions have a case.
//! - [`workers`]: builds the executables that the tests run.

pub mod versions;
pub mod workers;
