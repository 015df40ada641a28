//! onnx-model (being built).

mod graph;

pub use graph::{Attribute, AttributeValue, Function, Graph, Model, Node, ValueInfo};
