//! The tests of the project's backends on ONNX cases, for `cargo test`.
//!
//! - [`versions`]: the operator versions that have a case.
//! - [`workers`]: builds the executables for the tests.

pub mod versions;
pub mod workers;
