//! The kinds of attribute values.

use onnx_model::AttributeValue;
use onnx_schema::{AttributeKind, OperatorSchema};

use crate::problem::Problem;

/// Reports an attribute with a value of the wrong type. A reference has the type of its target.
pub(crate) fn kind_problem(schema: &OperatorSchema, name: &str, value: &AttributeValue) -> Option<Problem> {
    let expected = schema.attribute(name)?.kind;
    let found = value.kind()?;
    (found != expected).then(|| Problem::AttributeKind {
        name: name.to_owned(),
        found: kind_name(found),
        expected: kind_name(expected),
    })
}

fn kind_name(kind: AttributeKind) -> &'static str {
    match kind {
        AttributeKind::Float => "a float",
        AttributeKind::Int => "an int",
        AttributeKind::String => "a string",
        AttributeKind::Tensor => "a tensor",
        AttributeKind::Graph => "a graph",
        AttributeKind::Floats => "a list of floats",
        AttributeKind::Ints => "a list of ints",
        AttributeKind::Strings => "a list of strings",
        AttributeKind::Tensors => "a list of tensors",
        AttributeKind::Graphs => "a list of graphs",
        AttributeKind::SparseTensor => "a sparse tensor",
        AttributeKind::SparseTensors => "a list of sparse tensors",
        AttributeKind::TypeProto => "a type",
        AttributeKind::TypeProtos => "a list of types",
    }
}
