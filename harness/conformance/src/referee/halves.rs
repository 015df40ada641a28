//! Models with 16-bit floats.

use onnx_model::{AttributeValue, Graph, Model, Node};
use onnx_tensor::{DType, Value, ValueType};

/// Whether a model declares, holds or makes values of a 16-bit float type.
pub fn has_halves(model: &Model) -> bool {
    let mut functions = model.functions.iter();
    in_graph(&model.graph) || functions.any(|function| in_nodes(&function.nodes))
}

fn in_graph(graph: &Graph) -> bool {
    let infos = graph.inputs.iter().chain(&graph.outputs).chain(&graph.value_info);
    let mut types = infos.filter_map(|info| info.value_type.as_ref());
    let mut weights = graph.initializers.iter().map(|(_, value)| value);
    types.any(of_halves)
        || weights.any(|value| match value {
            Value::Tensor(tensor) => is_half(tensor.dtype()),
            Value::Stored(stored) => is_half(stored.dtype),
            _ => false,
        })
        || in_nodes(&graph.nodes)
}

fn in_nodes(nodes: &[Node]) -> bool {
    let of_attribute = |value: &AttributeValue| match value {
        AttributeValue::Tensor(tensor) => is_half(tensor.dtype()),
        _ => false,
    };
    let casts = |node: &Node| match node.attribute("to") {
        Some(AttributeValue::Int(to)) => DType::from_onnx(*to).is_ok_and(is_half),
        _ => false,
    };
    nodes.iter().any(|node| {
        casts(node)
            || node
                .attributes
                .iter()
                .any(|attribute| of_attribute(&attribute.value))
            || node.bodies().any(|body| in_graph(body))
    })
}

fn of_halves(kind: &ValueType) -> bool {
    match kind {
        ValueType::Tensor { dtype, .. } | ValueType::Sparse { dtype, .. } => is_half(*dtype),
        ValueType::Sequence(inner) | ValueType::Optional(inner) | ValueType::Map { value: inner, .. } => {
            of_halves(inner)
        }
    }
}

fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::Float16 | DType::Bfloat16)
}
