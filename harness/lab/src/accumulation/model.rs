//! The model of one node.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{Dim, Tensor, Value, ValueType};

use crate::accumulation::subject::Kind;

/// The operator on a fed first operand; the second one is an initializer. `None` if no version
/// accepts the type.
pub fn model(kind: Kind, first: &Tensor, second: Option<&Tensor>) -> Option<Model> {
    let opset = kind.opset(first.dtype())?;
    let mut initializers: Vec<(String, Value)> = Vec::new();
    if let Some(second) = second {
        initializers.push(("b".to_owned(), Value::Tensor(second.clone())));
    }
    if matches!(kind, Kind::ReduceSum | Kind::ReduceMean | Kind::ReduceSumSquare) {
        let last = i64::try_from(first.shape().len()).ok()? - 1;
        initializers.push(("axes".to_owned(), Value::Tensor(Tensor::vector(vec![last]))));
    }
    let names = initializers.iter().map(|(name, _)| name.clone());
    let node = Node {
        operator: kind.operator().to_owned(),
        inputs: std::iter::once("a".to_owned()).chain(names).collect(),
        outputs: vec!["y".to_owned()],
        attributes: attributes(kind),
        ..Node::default()
    };
    let shape = first.shape().iter().map(|&extent| Dim::Fixed(extent)).collect();
    let info = |name: &str, shape| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: first.dtype(),
            shape,
        }),
    };
    let graph = Graph {
        name: kind.operator().to_owned(),
        inputs: vec![info("a", Some(shape))],
        outputs: vec![info("y", None)],
        initializers,
        nodes: vec![node],
        ..Graph::default()
    };
    Some(Model {
        ir_version: if opset > 18 { 10 } else { 8 },
        opset_imports: BTreeMap::from([(String::new(), i64::from(opset))]),
        graph: Arc::new(graph),
        functions: Vec::new(),
        producer_name: "onnx-conformance".to_owned(),
        producer_version: String::new(),
        oddities: Vec::new(),
    })
}

fn attributes(kind: Kind) -> Vec<Attribute> {
    let one = |name: &str, value| {
        vec![Attribute {
            name: name.to_owned(),
            value,
        }]
    };
    match kind {
        Kind::Gemm => one("transB", AttributeValue::Int(1)),
        Kind::Einsum => one("equation", AttributeValue::String(b"ij,jk->ik".to_vec())),
        Kind::ReduceSum | Kind::ReduceMean | Kind::ReduceSumSquare => one("keepdims", AttributeValue::Int(0)),
        Kind::MatMul | Kind::Conv | Kind::GlobalAveragePool => Vec::new(),
    }
}
