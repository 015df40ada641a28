//! `ModelProto`, `FunctionProto`, `GraphProto`, `NodeProto` and `AttributeProto`.

use std::collections::BTreeMap;

use onnx_tensor::Value;

use super::tensor::{sparse, tensor};
use super::types::{value_infos, value_type};
use super::{text, texts};
use crate::proto::{AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto};
use crate::{Attribute, AttributeValue, Function, Graph, Model, Node};

pub(super) fn model(model: &Model) -> ModelProto {
    ModelProto {
        ir_version: Some(model.ir_version),
        opset_import: opsets(&model.opset_imports),
        producer_name: text(&model.producer_name),
        producer_version: text(&model.producer_version),
        graph: Some(graph(&model.graph)),
        functions: model.functions.iter().map(|inner| function(inner)).collect(),
        ..ModelProto::default()
    }
}

pub(super) fn function(function: &Function) -> FunctionProto {
    FunctionProto {
        name: text(&function.name),
        domain: text(&function.domain),
        overload: text(&function.overload),
        input: texts(&function.inputs),
        output: texts(&function.outputs),
        attribute: texts(&function.attributes),
        attribute_proto: function.attribute_defaults.iter().map(attribute).collect(),
        opset_import: opsets(&function.opset_imports),
        node: function.nodes.iter().map(node).collect(),
        ..FunctionProto::default()
    }
}

fn opsets(imports: &BTreeMap<String, i64>) -> Vec<OperatorSetIdProto> {
    let import = |(domain, version): (&String, &i64)| OperatorSetIdProto {
        // The empty domain is written, for some readers ask for the field.
        domain: Some(domain.as_bytes().to_vec()),
        version: Some(*version),
    };
    imports.iter().map(import).collect()
}

fn graph(graph: &Graph) -> GraphProto {
    let mut proto = GraphProto {
        name: text(&graph.name),
        input: value_infos(&graph.inputs),
        output: value_infos(&graph.outputs),
        value_info: value_infos(&graph.value_info),
        node: graph.nodes.iter().map(node).collect(),
        ..GraphProto::default()
    };
    for (name, value) in &graph.initializers {
        match value {
            Value::Tensor(dense) => proto.initializer.push(tensor(dense, text(name))),
            Value::Sparse(inner) => proto.sparse_initializer.push(sparse(inner, text(name))),
            // ONNX has no initializers of other types.
            Value::Sequence(_) | Value::Map(_) | Value::Optional { .. } => {}
        }
    }
    proto
}

fn node(node: &Node) -> NodeProto {
    NodeProto {
        name: text(&node.name),
        domain: text(&node.domain),
        op_type: text(&node.operator),
        overload: text(&node.overload),
        input: texts(&node.inputs),
        output: texts(&node.outputs),
        attribute: node.attributes.iter().map(attribute).collect(),
        ..NodeProto::default()
    }
}

/// The type is always written; for a reference, where only the function knows it, there is none.
fn attribute(attribute: &Attribute) -> AttributeProto {
    let mut proto = AttributeProto {
        name: text(&attribute.name),
        ..AttributeProto::default()
    };
    let number = match &attribute.value {
        AttributeValue::Float(value) => set(&mut proto.f, *value, 1),
        AttributeValue::Int(value) => set(&mut proto.i, *value, 2),
        AttributeValue::String(value) => set(&mut proto.s, value.clone(), 3),
        AttributeValue::Tensor(value) => set(&mut proto.t, Box::new(tensor(value, None)), 4),
        AttributeValue::Graph(value) => set(&mut proto.g, Box::new(graph(value)), 5),
        AttributeValue::Floats(values) => fill(&mut proto.floats, values, |&value| value, 6),
        AttributeValue::Ints(values) => fill(&mut proto.ints, values, |&value| value, 7),
        AttributeValue::Strings(values) => fill(&mut proto.strings, values, Clone::clone, 8),
        AttributeValue::Tensors(values) => fill(&mut proto.tensors, values, |value| tensor(value, None), 9),
        AttributeValue::Graphs(values) => fill(&mut proto.graphs, values, |value| graph(value), 10),
        AttributeValue::Sparse(value) => set(&mut proto.sparse_tensor, Box::new(sparse(value, None)), 11),
        AttributeValue::Sparses(values) => {
            fill(&mut proto.sparse_tensors, values, |value| sparse(value, None), 12)
        }
        AttributeValue::Type(value) => set(&mut proto.tp, Box::new(value_type(value)), 13),
        AttributeValue::Types(values) => fill(&mut proto.type_protos, values, value_type, 14),
        AttributeValue::Reference(outer) => set(&mut proto.ref_attr_name, outer.as_bytes().to_vec(), 0),
    };
    proto.r#type = (number != 0).then_some(number);
    proto
}

/// Fills a single field; gives back the number of the attribute type that goes with it.
fn set<T>(field: &mut Option<T>, value: T, number: i32) -> i32 {
    *field = Some(value);
    number
}

/// Fills a repeated field; gives back the number of the attribute type that goes with it.
fn fill<T, M>(field: &mut Vec<M>, values: &[T], message: impl Fn(&T) -> M, number: i32) -> i32 {
    *field = values.iter().map(message).collect();
    number
}
