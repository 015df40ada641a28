//! The blocks of graphs: one function for each pattern, which adds it to a graph or finds that it does
//! not fit.

pub mod attention;
pub mod bodies;
pub mod containers;
pub mod control;
pub mod convolution;
pub mod elementwise;
pub mod heads;
pub mod indices;
pub mod integers;
pub mod movement;
pub mod quantized;
pub mod recurrent;
pub mod texts;
pub mod transformer;

use onnx_model::AttributeValue;

use super::draft::GraphDraft;

/// Adds a pattern; `None` if it does not fit.
pub type Block = fn(&mut GraphDraft) -> Option<()>;

/// A string attribute.
pub(crate) fn text(value: &str) -> AttributeValue {
    AttributeValue::String(value.as_bytes().to_vec())
}

/// An attribute of integers.
pub(crate) fn ints(numbers: &[usize]) -> AttributeValue {
    AttributeValue::Ints(numbers.iter().map(|&number| number as i64).collect())
}
