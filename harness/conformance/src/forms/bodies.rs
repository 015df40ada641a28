//! The bodies in the attributes of a node.

use std::sync::Arc;

use onnx_model::{AttributeValue, Graph, Node};

/// The graphs in the attributes of a node, mutable.
pub(super) fn bodies_mut(node: &mut Node) -> impl Iterator<Item = &mut Arc<Graph>> {
    fn of(value: &mut AttributeValue) -> &mut [Arc<Graph>] {
        match value {
            AttributeValue::Graph(body) => std::slice::from_mut(body),
            AttributeValue::Graphs(bodies) => bodies,
            AttributeValue::Float(_)
            | AttributeValue::Int(_)
            | AttributeValue::String(_)
            | AttributeValue::Tensor(_)
            | AttributeValue::Sparse(_)
            | AttributeValue::Type(_)
            | AttributeValue::Floats(_)
            | AttributeValue::Ints(_)
            | AttributeValue::Strings(_)
            | AttributeValue::Tensors(_)
            | AttributeValue::Sparses(_)
            | AttributeValue::Types(_)
            | AttributeValue::Reference(_) => &mut [],
        }
    }
    let attributes = node.attributes.iter_mut();
    attributes.flat_map(|attribute| of(&mut attribute.value))
}
