//! The function bodies by which ONNX defines some operators, as a second oracle.
//!
//! With [`Limits::function_bodies`](crate::Limits::function_bodies), an operator with a static body is
//! evaluated by that graph of more primitive operators instead of the reference's own code. Bodies that
//! ONNX builds for a single node are not in the table; the official `_expanded` cases contain them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use onnx_model::{Attribute, AttributeValue, Function, Limits, Source};
use onnx_schema::{DefaultValue, FunctionBody, OperatorSchema, function_bodies, function_body};

/// Domain, operator, since_version and opset of a body.
type Key = (&'static str, &'static str, u32, u32);

/// The decoded bodies.
static DECODED: LazyLock<HashMap<Key, Arc<Function>>> = LazyLock::new(|| {
    let decode = |body: &FunctionBody| {
        let name = format!("the body of {}-{}", body.name, body.since);
        let function = Function::decode(body.proto, &Source::named(&name), &Limits::default()).ok()?;
        Some((key(body), Arc::new(function)))
    };
    function_bodies().iter().filter_map(decode).collect()
});

fn key(body: &FunctionBody) -> Key {
    (body.domain, body.name, body.since, body.opset)
}

/// The static body of an operator version for a model at this opset of its domain.
pub fn static_body(schema: &OperatorSchema, opset: i64) -> Option<&'static Arc<Function>> {
    let body = function_body(schema, u32::try_from(opset).ok()?)?;
    DECODED.get(&key(body))
}

/// The attributes of a node and the schema's defaults for the missing ones: a body refers to all.
pub fn with_defaults(schema: &OperatorSchema, attributes: &[Attribute]) -> Vec<Attribute> {
    let given = |name: &str| attributes.iter().any(|attribute| attribute.name == name);
    let missing = schema
        .attributes
        .iter()
        .filter(|attribute| !given(attribute.name));
    let default = missing.filter_map(|attribute| {
        Some(Attribute {
            name: attribute.name.to_owned(),
            value: value(attribute.default.as_ref()?),
        })
    });
    attributes.iter().cloned().chain(default).collect()
}

fn value(default: &DefaultValue) -> AttributeValue {
    match *default {
        DefaultValue::Int(value) => AttributeValue::Int(value),
        DefaultValue::Float(value) => AttributeValue::Float(value),
        DefaultValue::String(value) => AttributeValue::String(value.into()),
        DefaultValue::Ints(values) => AttributeValue::Ints(values.into()),
        DefaultValue::Floats(values) => AttributeValue::Floats(values.into()),
        DefaultValue::Strings(values) => {
            AttributeValue::Strings(values.iter().map(|&value| value.into()).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_of_the_table_can_be_decoded() {
        assert_eq!(DECODED.len(), function_bodies().len());
    }
}
