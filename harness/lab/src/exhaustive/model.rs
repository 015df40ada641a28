//! The model of one node for a subject.

use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_schema::OperatorSchema;
use onnx_tensor::{DType, Dim, ValueType};

use crate::exhaustive::subject::Subject;

/// The model for `count` inputs; `None` if no version of the operator accepts the types.
pub(crate) fn model(subject: &Subject, count: usize) -> Option<Model> {
    let (operator, opset, attributes, output) = match subject {
        Subject::Function { function, dtype } => {
            let attributes = function.attributes.iter();
            let attributes = attributes.map(|(name, value)| attribute(name, AttributeValue::Float(*value)));
            (function.operator, function.since, attributes.collect(), *dtype)
        }
        Subject::Cast { from, to, saturate } => {
            let mut attributes = vec![attribute("to", AttributeValue::Int(i64::from(to.to_onnx())))];
            attributes.extend(saturate.map(|on| attribute("saturate", AttributeValue::Int(i64::from(on)))));
            ("Cast", cast_version(*from, *to)?, attributes, *to)
        }
    };
    let node = Node {
        operator: operator.to_owned(),
        inputs: vec!["x".to_owned()],
        outputs: vec!["y".to_owned()],
        attributes,
        ..Node::default()
    };
    let graph = Graph {
        name: operator.to_owned(),
        inputs: vec![info("x", subject.input(), count)],
        outputs: vec![info("y", output, count)],
        nodes: vec![node],
        ..Graph::default()
    };
    Some(Model {
        ir_version: onnx_schema::ir_version("", opset),
        producer_name: "onnx-conformance".to_owned(),
        ..Model::new(i64::from(opset), graph)
    })
}

fn attribute(name: &str, value: AttributeValue) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value,
    }
}

fn info(name: &str, dtype: DType, count: usize) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype,
            shape: Some(vec![Dim::Fixed(count)]),
        }),
    }
}

/// The first version of Cast from 19 on, which have `saturate`, that accepts both types.
fn cast_version(from: DType, to: DType) -> Option<u32> {
    let takes = |schema: &&OperatorSchema| {
        let has = |formal: Option<&onnx_schema::Formal>, dtype| {
            let types = formal.map_or(&[][..], |formal| schema.types(formal));
            types
                .iter()
                .any(|allowed| allowed.matches(&ValueType::tensor(dtype)))
        };
        schema.since >= 19 && has(schema.input(0), from) && has(schema.output(0), to)
    };
    onnx_schema::versions("", "Cast")
        .iter()
        .find(takes)
        .map(|schema| schema.since)
}
