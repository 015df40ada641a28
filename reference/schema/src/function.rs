//! Operators that ONNX defines by a graph of other operators.
//!
//! Such a body is a second, independent definition of the operator. It can be run to check the first. A
//! static body is the same for every node and is stored here as an encoded `FunctionProto`. A
//! context-dependent body is built by code of ONNX from the attributes and types of a node. It cannot be
//! stored; the table only marks it.

use crate::generated::functions::BODIES;
use crate::rows::FunctionBody;
use crate::schema::OperatorSchema;

/// Returns all static bodies, sorted by domain, name, since and opset.
pub fn function_bodies() -> &'static [FunctionBody] {
    &BODIES
}

/// Returns the static body of an operator version for a model at this opset: the one with the greatest opset
/// that is not above it. `None` if there is no such body.
pub fn function_body(schema: &OperatorSchema, opset: u32) -> Option<&'static FunctionBody> {
    let key = (schema.domain, schema.name, schema.since);
    let count =
        BODIES.partition_point(|b| (b.domain, b.name, b.since, b.opset) <= (key.0, key.1, key.2, opset));
    let body = BODIES.get(count.checked_sub(1)?)?;
    ((body.domain, body.name, body.since) == key).then_some(body)
}
