//! Operators that ONNX itself defines by a graph of other operators.
//!
//! Such a body is a second, independent definition of the operator, and can be run to check the first one. A
//! static body is the same for every node; it stands here as a `FunctionProto`, in the encoding of the file
//! format. A context-dependent body is built by code of ONNX from the node's attributes and types: it cannot
//! be stored, and is only marked.

use crate::generated::functions::BODIES;
use crate::schema::OperatorSchema;

/// How ONNX gives the body of an operator version.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionKind {
    /// Not at all: the operator is primitive.
    None,
    /// As one `FunctionProto`: see [`function_body`].
    Static,
    /// As code that builds the body for a given node.
    ContextDependent,
}

/// The static body of an operator version, written with the operators of one opset.
#[derive(Clone, Copy, Debug)]
pub struct FunctionBody {
    /// The domain of the operator; `""` for ai.onnx.
    pub domain: &'static str,
    /// The name of the operator.
    pub name: &'static str,
    /// The operator version it belongs to.
    pub since: u32,
    /// The opset of ai.onnx from which on the body holds, and whose operators it uses; it may be above
    /// `since`.
    pub opset: u32,
    /// An encoded `FunctionProto`.
    pub proto: &'static [u8],
}

/// Every static body, sorted by domain, name, since and opset.
pub fn function_bodies() -> &'static [FunctionBody] {
    &BODIES
}

/// The static body of an operator version for a model at this opset: the one written for the greatest opset
/// that is not above it. `None` when the version has no static body, or none for so old an opset.
pub fn function_body(schema: &OperatorSchema, opset: u32) -> Option<&'static FunctionBody> {
    let key = (schema.domain, schema.name, schema.since);
    let count =
        BODIES.partition_point(|b| (b.domain, b.name, b.since, b.opset) <= (key.0, key.1, key.2, opset));
    let body = BODIES.get(count.checked_sub(1)?)?;
    ((body.domain, body.name, body.since) == key).then_some(body)
}
