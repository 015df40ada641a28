//! Models of one node.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Attribute, Graph, Model, Node, ValueInfo};
use onnx_schema::{OperatorSchema, releases, resolve};
use onnx_tensor::ValueType;

/// The oldest opset that is tried: older ones lack most types.
const MIN_OPSET: u32 = 13;

/// A model of one node with the inputs `x` or `x0`, `x1`, … and the output `y`.
pub(super) fn one_node(
    operator: &str,
    opset: u32,
    inputs: &[ValueType],
    output: &ValueType,
    attributes: Vec<Attribute>,
) -> Model {
    let name = |index: usize| {
        if inputs.len() == 1 {
            "x".to_owned()
        } else {
            format!("x{index}")
        }
    };
    let info = |name: String, value_type: &ValueType| ValueInfo {
        name,
        value_type: Some(value_type.clone()),
    };
    let graph = Graph {
        name: "verify".to_owned(),
        inputs: inputs
            .iter()
            .enumerate()
            .map(|(index, kind)| info(name(index), kind))
            .collect(),
        outputs: vec![info("y".to_owned(), output)],
        nodes: vec![Node {
            name: "node".to_owned(),
            operator: operator.to_owned(),
            inputs: (0..inputs.len()).map(name).collect(),
            outputs: vec!["y".to_owned()],
            attributes,
            ..Node::default()
        }],
        ..Graph::default()
    };
    Model {
        ir_version: onnx_schema::ir_version("", opset),
        opset_imports: BTreeMap::from([(String::new(), i64::from(opset))]),
        graph: Arc::new(graph),
        functions: Vec::new(),
        producer_name: "onnx-conformance".to_owned(),
        producer_version: String::new(),
        oddities: Vec::new(),
    }
}

/// A model that returns its input, at the oldest opset whose Identity accepts the type; `None` if there
/// is none.
pub(super) fn identity(value_type: &ValueType) -> Option<Model> {
    let takes = |schema: &OperatorSchema| {
        let types = schema.input(0).map_or(&[][..], |formal| schema.types(formal));
        types.iter().any(|known| known.matches(value_type))
    };
    let newest = releases().last().map_or(MIN_OPSET, |release| release.opset);
    let opset = (MIN_OPSET..=newest).find(|&opset| {
        let imports = BTreeMap::from([(String::new(), i64::from(opset))]);
        resolve(&imports, "", "Identity").is_ok_and(takes)
    })?;
    Some(one_node(
        "Identity",
        opset,
        std::slice::from_ref(value_type),
        value_type,
        Vec::new(),
    ))
}
