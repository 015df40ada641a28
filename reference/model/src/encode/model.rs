//! Encodes `ModelProto`, `FunctionProto`, `GraphProto`, `NodeProto` and `AttributeProto`.

use std::collections::BTreeMap;

use onnx_tensor::Value;

use super::tensor::{external, sparse, tensor};
use super::types::{value_infos, value_type};
use super::{text, texts};
use crate::proto::{AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto};
use crate::{Attribute, AttributeKind, AttributeValue, Function, Graph, Model, Node};

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
        // The empty domain is written, because some readers require the field.
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
            Value::Stored(inner) => proto.initializer.push(external(inner, text(name))),
            // ONNX has no initializers of these types.
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

/// The type is always written, except for a reference that states none.
fn attribute(attribute: &Attribute) -> AttributeProto {
    let mut proto = AttributeProto {
        name: text(&attribute.name),
        r#type: attribute.value.kind().map(AttributeKind::to_onnx),
        ..AttributeProto::default()
    };
    match &attribute.value {
        AttributeValue::Float(value) => proto.f = Some(*value),
        AttributeValue::Int(value) => proto.i = Some(*value),
        AttributeValue::String(value) => proto.s = Some(value.clone()),
        AttributeValue::Tensor(value) => proto.t = Some(Box::new(tensor(value, None))),
        AttributeValue::Graph(value) => proto.g = Some(Box::new(graph(value))),
        AttributeValue::Floats(values) => proto.floats.clone_from(values),
        AttributeValue::Ints(values) => proto.ints.clone_from(values),
        AttributeValue::Strings(values) => proto.strings.clone_from(values),
        AttributeValue::Tensors(values) => proto.tensors = each(values, |value| tensor(value, None)),
        AttributeValue::Graphs(values) => proto.graphs = each(values, |value| graph(value)),
        AttributeValue::Sparse(value) => proto.sparse_tensor = Some(Box::new(sparse(value, None))),
        AttributeValue::Sparses(values) => proto.sparse_tensors = each(values, |value| sparse(value, None)),
        AttributeValue::Type(value) => proto.tp = Some(Box::new(value_type(value))),
        AttributeValue::Types(values) => proto.type_protos = each(values, value_type),
        AttributeValue::Reference(outer, kind) => {
            proto.ref_attr_name = Some(outer.as_bytes().to_vec());
            proto.r#type = kind.map(AttributeKind::to_onnx);
        }
    }
    proto
}

fn each<T, M>(values: &[T], message: impl Fn(&T) -> M) -> Vec<M> {
    values.iter().map(message).collect()
}
