//! Which part of the specification test cases exercise.
//!
//! A case exercises an operator version if a node of its model refers to it: in the main graph, in a
//! body, or in a called function. Every case has expected outputs that are independent of the backend
//! under test, so each counts.
//!
//! - [`catalogue()`]: the specification, from the table of schemas and from its enumerations
//!   ([`enumerated`]).
//! - [`exercises()`]: the uses in one model.
//! - [`survey()`](crate::survey::survey): the uses in many cases.
//! - [`implemented()`]: the versions that a backend reports.
//!
//! [`run_record::coverage`] computes and renders the coverage from these records.

mod catalogue;
mod exercise;
mod implemented;

pub use catalogue::{added, catalogue, touched};
pub use exercise::exercises;
pub use implemented::{ImplementedError, implemented};
pub use onnx_generator::enumerated;

#[cfg(test)]
mod tests;
