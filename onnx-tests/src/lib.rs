//! The tests of the project's backends on ONNX cases, for `cargo test`.
//!
//! - [`gaps`]: what the project lacks for an operator version.
//! - [`versions`]: the operator versions that have a case.
//! - [`workers`]: builds the executables for the tests.

pub mod gaps;
pub mod versions;
pub mod workers;
