//! What the random operators of ONNX promise, as tests that any backend's output can be put to.
//!
//! RandomNormal, RandomUniform, their Like forms, Bernoulli, Multinomial and Dropout in training have no expected output: the
//! specification leaves the generator open, even under a seed. What it does fix is the distribution, and that can be judged.
//!
//! # The way through it
//! - [`Contract::of_node`]: from a node (its schema, attributes and inputs) to the distribution it must draw from.
//! - [`Contract::judge`]: an output against it: support, moments, goodness of fit, serial correlation.
//! - [`Draws`]: the same for the outputs of a whole model: which are drawn, and from what.
//! - [`reproducible`]: two outputs of one node that sets `seed`.
//! - [`Violation`]: which promise is broken, with the figures.
//!
//! # How much it can be trusted
//! A right generator fails a single test with a probability of at most [`SIGNIFICANCE`] (about that where a test rests on a
//! limit theorem, as its documentation says); one output is put to at most five tests. What a wrong generator must be off by to be
//! found shrinks with the root of the number of elements: at 10,000, about 5 % of the deviation in the mean, 0.027 in
//! the distribution function. Outputs of a few elements are judged by little more than their support.
//!
//! Narrow floats are rounded draws, and some generators truncate: every test gives an element the benefit of one unit
//! in the last place.
//!
//! # What it is not
//! It runs nothing and draws nothing. It knows nothing of operators' results elsewhere.

mod contract;
mod fit;
mod graph;
mod node;
mod violation;

pub use contract::{Contract, Evidence, reproducible};
pub use graph::Draws;
pub use violation::Violation;

/// The probability with which a right generator fails one test.
pub const SIGNIFICANCE: f64 = 1e-6;
