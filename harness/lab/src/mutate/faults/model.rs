//! Faults of an operator, planted into the model: its outputs are then those of a backend with that fault.

use std::sync::Arc;

use harness_conformance::case::DataSet;
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node};
use onnx_tensor::{DType, Tensor, Value};

/// Operators with an attribute `epsilon` that avoids a division by zero.
const NORMALIZATIONS: [&str; 5] = [
    "BatchNormalization",
    "GroupNormalization",
    "InstanceNormalization",
    "LayerNormalization",
    "RMSNormalization",
];

/// Operators with an attribute `ceil_mode`.
const POOLS: [&str; 3] = ["AveragePool", "LpPool", "MaxPool"];

/// Every normalization without its epsilon.
pub fn epsilon_dropped(model: &Model, _: &DataSet) -> Option<Model> {
    with_nodes(model, |node| {
        let normalizes = NORMALIZATIONS.contains(&node.operator.as_str());
        normalizes.then(|| with_attribute(node, "epsilon", AttributeValue::Float(0.0)))
    })
}

/// Every pool with the other rounding mode of its extents.
pub fn pool_rounding(model: &Model, _: &DataSet) -> Option<Model> {
    with_nodes(model, |node| {
        let ceil = matches!(node.attribute("ceil_mode"), Some(AttributeValue::Int(1)));
        let other = AttributeValue::Int(i64::from(!ceil));
        POOLS
            .contains(&node.operator.as_str())
            .then(|| with_attribute(node, "ceil_mode", other))
    })
}

/// The model with each node replaced for which `change` returns another one; `None` if there is no such
/// node.
fn with_nodes(model: &Model, change: impl Fn(&Node) -> Option<Node>) -> Option<Model> {
    let mut graph = Graph::clone(&model.graph);
    let mut changed = false;
    for node in graph.nodes.iter_mut().filter(|node| node.domain.is_empty()) {
        if let Some(other) = change(node) {
            *node = other;
            changed = true;
        }
    }
    changed.then(|| Model {
        graph: Arc::new(graph),
        ..model.clone()
    })
}

fn with_attribute(node: &Node, name: &str, value: AttributeValue) -> Node {
    let mut node = node.clone();
    node.attributes.retain(|attribute| attribute.name != name);
    node.attributes.push(Attribute {
        name: name.to_owned(),
        value,
    });
    node
}

/// A model for a single quantizer with one scale that rounds down: ⌊x / scale⌋ + zero point, saturated.
pub fn quantizer_rounds_down(model: &Model, set: &DataSet) -> Option<Model> {
    let [node] = model.graph.nodes.as_slice() else {
        return None;
    };
    let [x, scale, rest @ ..] = node.inputs.as_slice() else {
        return None;
    };
    let one_scale = set.inputs.iter().any(|(name, value)| {
        matches!(value, Value::Tensor(tensor) if name == scale && tensor.len() == 1 && tensor.rank() <= 1)
    });
    let Some((_, Value::Tensor(quantized))) = set.expected.first() else {
        return None;
    };
    let (least, greatest) = range(quantized.dtype())?;
    if node.operator != "QuantizeLinear" || !one_scale {
        return None;
    }
    let cast = |from: &str, to: &str, dtype: DType| {
        let node = self::node("Cast", &[from], to);
        with_attribute(&node, "to", AttributeValue::Int(dtype.to_onnx().into()))
    };
    let mut nodes = vec![
        cast(x, "x_float", DType::Float),
        cast(scale, "scale_float", DType::Float),
        self::node("Div", &["x_float", "scale_float"], "quotient"),
        self::node("Floor", &["quotient"], "whole"),
    ];
    let shifted = match rest {
        [zero, ..] if !zero.is_empty() => {
            nodes.push(cast(zero, "zero_float", DType::Float));
            nodes.push(self::node("Add", &["whole", "zero_float"], "shifted"));
            "shifted"
        }
        _ => "whole",
    };
    nodes.push(self::node("Max", &[shifted, "least"], "above"));
    nodes.push(self::node("Min", &["above", "greatest"], "within"));
    nodes.push(cast("within", node.outputs.first()?, quantized.dtype()));
    let mut graph = Graph::clone(&model.graph);
    graph.nodes = nodes;
    for (name, value) in [("least", least), ("greatest", greatest)] {
        graph
            .initializers
            .push((name.to_owned(), Value::Tensor(Tensor::scalar(value))));
    }
    Some(Model {
        graph: Arc::new(graph),
        ..model.clone()
    })
}

fn node(operator: &str, inputs: &[&str], output: &str) -> Node {
    Node {
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|&input| input.to_owned()).collect(),
        outputs: vec![output.to_owned()],
        ..Node::default()
    }
}

/// The least and the greatest value of a quantized integer type.
fn range(dtype: DType) -> Option<(f32, f32)> {
    Some(match dtype {
        DType::Uint8 => (0.0, 255.0),
        DType::Int8 => (-128.0, 127.0),
        DType::Uint16 => (0.0, 65535.0),
        DType::Int16 => (-32768.0, 32767.0),
        DType::Uint4 => (0.0, 15.0),
        DType::Int4 => (-8.0, 7.0),
        DType::Uint2 => (0.0, 3.0),
        DType::Int2 => (-2.0, 1.0),
        _ => return None,
    })
}
