//! Statistical tests of the random operators of ONNX, for the outputs of any backend.
//!
//! RandomNormal, RandomUniform, their Like forms, Bernoulli, Multinomial and Dropout in training have no
//! expected output: the specification leaves the generator open, even with a seed. It defines the
//! distribution, which can be tested.
//!
//! # Overview of modules
//! - [`Contract::of_node`]: maps a node (its schema, attributes and inputs) to the distribution of its
//!   output.
//! - [`Contract::judge`]: tests an output: support, moments, goodness of fit, serial correlation.
//! - [`Draws`]: the same for the outputs of a whole model: which are random, and their distributions.
//! - [`reproducible`]: compares two outputs of one node that sets `seed`.
//! - [`Violation`]: the failed test, with the figures.
//!
//! # Reliability
//! A correct generator fails a single test with a probability of at most [`SIGNIFICANCE`] (approximately,
//! if the test is asymptotic, as its documentation says); one output is subject to at most five tests. The
//! error that is detected decreases with the square root of the number of elements: at 10,000, about 5 % of
//! the deviation in the mean, 0.027 in the distribution function. For outputs of a few elements, little
//! more than the support is tested.
//!
//! Narrow floats are rounded draws, and some generators truncate: every test tolerates one ULP per element.
//!
//! # Scope
//! This crate neither runs nor draws anything, and does not test other operators.

mod contract;
mod fit;
mod graph;
mod node;
mod violation;

pub use contract::{Contract, Evidence, reproducible};
pub use graph::Draws;
pub use violation::Violation;

/// The probability that a correct generator fails one test.
pub const SIGNIFICANCE: f64 = 1e-6;
