//! Graphs of opset 13 at older opsets, where some operators have their integers as attributes.

use onnx_model::{Attribute, AttributeValue, Graph, Model};
use onnx_tensor::Value;

/// The operators whose second input is an attribute before opset 13, with its name.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("ReduceSum", "axes"),
    ("Split", "split"),
    ("Squeeze", "axes"),
    ("Unsqueeze", "axes"),
];

/// The model at an older opset; `None` if one of its operators has no such version, or if an axis is not
/// constant. Operators with the same form may have another meaning: Softmax before 13 flattens the axes
/// from its own on.
pub fn older(model: &Model, opset: i64) -> Option<Model> {
    let mut graph = Graph::clone(&model.graph);
    for index in 0..graph.nodes.len() {
        let node = graph.nodes.get(index)?;
        let Some((_, name)) = ATTRIBUTES.iter().find(|(operator, _)| *operator == node.operator) else {
            continue;
        };
        if let Some(input) = node.inputs.get(1) {
            let numbers = constant(&graph, input)?;
            let node = graph.nodes.get_mut(index)?;
            node.inputs.truncate(1);
            node.attributes.push(Attribute {
                name: (*name).to_owned(),
                value: AttributeValue::Ints(numbers),
            });
        }
    }
    let older = Model {
        producer_name: model.producer_name.clone(),
        ..Model::new(opset, graph)
    };
    // The types of outputs are not declared: the witness determines them.
    let found = onnx_checker::check(&older).list;
    let valid = found
        .iter()
        .all(|finding| finding.to_string().contains("declares no"));
    valid.then_some(older)
}

/// The integers of an initializer, or of a Constant.
fn constant(graph: &Graph, name: &str) -> Option<Vec<i64>> {
    let initializer = graph.initializers.iter().find(|(known, _)| known == name);
    if let Some((_, Value::Tensor(tensor))) = initializer {
        return tensor.to_vec::<i64>().ok();
    }
    let node = graph
        .nodes
        .iter()
        .find(|node| node.operator == "Constant" && node.outputs.iter().any(|output| output == name))?;
    match node.attribute("value")? {
        AttributeValue::Tensor(tensor) => tensor.to_vec::<i64>().ok(),
        _ => None,
    }
}
