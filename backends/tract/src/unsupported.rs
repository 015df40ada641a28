//! Features that tract does not have: operators missing from its register, and types without values.
//!
//! tract reports both only as messages, so they are found in the model instead. An operator that is missing
//! from tract's register becomes an `UnimplementedOp` when tract parses the file. An element type that is not
//! in its `DatumType` has no values. Every other failure remains an error.

use backend_api::BackendError;
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Value, ValueType};
use tract_onnx::Onnx;

use crate::value::is_supported;

/// Returns the first feature of the model that tract does not have; an operator comes before a type.
pub fn find(onnx: &Onnx, model: &Model) -> Option<BackendError> {
    missing_operator(onnx, &model.graph).or_else(|| in_types(&model.graph))
}

/// Returns the first operator that is missing from tract's register, in the graph or its bodies. The register
/// contains names only, without domain and opset.
fn missing_operator(onnx: &Onnx, graph: &Graph) -> Option<BackendError> {
    graph.nodes.iter().find_map(|node| {
        if !onnx.op_register.0.contains_key(&node.operator) {
            return Some(BackendError::Unsupported {
                message: format!(
                    "node `{}`: tract has no operator {}",
                    node.label(),
                    qualified(node)
                ),
                operator: Some(qualified(node)),
            });
        }
        node.bodies().find_map(|body| missing_operator(onnx, body))
    })
}

/// The operator with its domain, if that is not `ai.onnx`.
fn qualified(node: &Node) -> String {
    match node.domain.as_str() {
        "" | "ai.onnx" => node.operator.clone(),
        domain => format!("{domain}.{}", node.operator),
    }
}

/// Returns the first value in the graph or its bodies whose type tract does not have.
fn in_types(graph: &Graph) -> Option<BackendError> {
    let declared = || {
        let all = graph.inputs.iter().chain(&graph.outputs).chain(&graph.value_info);
        all.into_iter().find_map(in_declaration)
    };
    let stored = || {
        graph
            .initializers
            .iter()
            .find_map(|(name, value)| in_value("initializer", name, value))
    };
    let nodes = || {
        graph.nodes.iter().find_map(|node| {
            let attributes = node
                .attributes
                .iter()
                .find_map(|attribute| in_attribute(node, attribute));
            attributes.or_else(|| node.bodies().find_map(|body| in_types(body)))
        })
    };
    declared().or_else(stored).or_else(nodes)
}

fn in_declaration(info: &ValueInfo) -> Option<BackendError> {
    let value_type = info.value_type.as_ref()?;
    (!is_type_supported(value_type)).then(|| no_values_of(&format!("`{}`", info.name), value_type))
}

fn in_value(role: &str, name: &str, value: &Value) -> Option<BackendError> {
    let value_type = value.value_type();
    (!is_type_supported(&value_type)).then(|| no_values_of(&format!("{role} `{name}`"), &value_type))
}

/// Checks tensors in an attribute, and element types that operators state by number (such as `to` of Cast).
fn in_attribute(node: &Node, attribute: &Attribute) -> Option<BackendError> {
    let role = format!("node `{}` ({}), attribute", node.label(), qualified(node));
    let name = attribute.name.as_str();
    match &attribute.value {
        AttributeValue::Tensor(tensor) => in_value(&role, name, &Value::Tensor(tensor.clone())),
        AttributeValue::Sparse(sparse) => in_value(&role, name, &Value::Sparse(sparse.clone())),
        AttributeValue::Int(number)
            if matches!(name, "to" | "dtype" | "output_dtype" | "output_datatype") =>
        {
            let dtype = DType::from_onnx(*number).ok()?;
            let value_type = ValueType::tensor(dtype);
            (!is_supported(dtype)).then(|| no_values_of(&format!("{role} `{name}`"), &value_type))
        }
        _ => None,
    }
}

fn is_type_supported(value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::Tensor { dtype, .. } if is_supported(*dtype))
}

fn no_values_of(place: &str, value_type: &ValueType) -> BackendError {
    BackendError::unsupported(format!("{place}: tract has no values of {value_type}"))
}
