//! What test cases exercise of what the specification allows.
//!
//! A case exercises an operator version if a node of its model means it, anywhere: in the main graph, in a body, in a function
//! that is called. Every case has expected outputs that did not come from the backend under test, so each counts.
//!
//! - [`catalogue()`]: what is allowed, from the table of schemas and from the specification's enumerations ([`enumerated`]).
//! - [`exercises()`]: what one model uses.
//! - [`survey()`](crate::survey::survey): what many cases use.
//! - [`implemented()`]: which versions a backend says that it has.
//!
//! What follows from them is computed and rendered by [`reports::coverage`], which knows only these records.

mod catalogue;
mod exercise;
mod implemented;

pub use catalogue::{catalogue, touched};
pub use exercise::exercises;
pub use implemented::{ImplementedError, implemented};
pub use onnx_generator::enumerated;

#[cfg(test)]
mod tests;
