//! Classical machine learning: the domain `ai.onnx.ml`.
//!
//! Scores are computed in f64 and rounded once. What an operator derives from its attributes (trees, tables)
//! is derived once for each node.

mod coupling;
mod encoders;
mod features;
mod flatten;
mod forest;
mod kernel;
mod labels;
mod linear;
mod listed;
mod machines;
mod scaling;
mod scores;
mod table;
mod transform;
mod trees;
mod zip;

use super::Row;

/// The name of the domain.
const DOMAIN: &str = "ai.onnx.ml";

pub const ROWS: &[&[Row]] = &[
    encoders::ROWS,
    linear::ROWS,
    machines::ROWS,
    scaling::ROWS,
    trees::ROWS,
    zip::ROWS,
];
