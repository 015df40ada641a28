//! The model of an own case.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::Value;

/// A model with one node, in the oldest format that supports its opset, but at least one that supports all
/// value types in use.
pub(crate) fn of_node(
    node: Node,
    opset: u32,
    inputs: &[(String, Value)],
    outputs: &[(String, Value)],
    initializers: Vec<(String, Value)>,
) -> Model {
    let graph = Graph {
        name: node.operator.clone(),
        inputs: infos(inputs),
        outputs: infos(outputs),
        initializers,
        nodes: vec![node.clone()],
        ..Graph::default()
    };
    Model {
        ir_version: onnx_schema::ir_version(&node.domain, opset),
        opset_imports: BTreeMap::from([(node.domain, i64::from(opset))]),
        graph: Arc::new(graph),
        functions: Vec::new(),
        producer_name: "onnx-conformance".to_owned(),
        producer_version: String::new(),
        oddities: Vec::new(),
    }
}

fn infos(values: &[(String, Value)]) -> Vec<ValueInfo> {
    let info = |(name, value): &(String, Value)| ValueInfo {
        name: name.clone(),
        value_type: Some(value.value_type()),
    };
    values.iter().map(info).collect()
}
