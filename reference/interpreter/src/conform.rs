//! Holding one call against the schema of its version: arity, attributes, types.

use onnx_model::{Attribute, Node};
use onnx_schema::{FormalOption, OperatorSchema, SchemaType, TypeRef};
use onnx_tensor::{Value, ValueType};

use crate::error::NodeProblem;

/// The number of inputs and outputs that a node lists.
pub(crate) fn arity(schema: &OperatorSchema, node: &Node) -> Result<(), NodeProblem> {
    let check = |what, found, least, most| {
        let inside = (least..=most).contains(&found);
        if inside {
            Ok(())
        } else {
            Err(NodeProblem::Arity {
                what,
                found,
                least,
                most,
            })
        }
    };
    check("inputs", node.inputs.len(), schema.min_inputs, schema.max_inputs)?;
    check(
        "outputs",
        node.outputs.len(),
        schema.min_outputs,
        schema.max_outputs,
    )
}

/// The attributes: none unknown, none missing.
pub(crate) fn attributes(schema: &OperatorSchema, given: &[Attribute]) -> Result<(), NodeProblem> {
    let unknown = given
        .iter()
        .find(|attribute| schema.attribute(&attribute.name).is_none());
    if let Some(attribute) = unknown {
        return Err(NodeProblem::UnknownAttribute(attribute.name.clone()));
    }
    let missing = |name: &str| given.iter().all(|attribute| attribute.name != name);
    match schema
        .attributes
        .iter()
        .find(|attribute| attribute.required && missing(attribute.name))
    {
        Some(attribute) => Err(NodeProblem::MissingAttribute(attribute.name.to_owned())),
        None => Ok(()),
    }
}

/// The types of the inputs: each in its set, and one type for each type parameter.
pub(crate) fn types(schema: &'static OperatorSchema, inputs: &[Option<Value>]) -> Result<(), NodeProblem> {
    let mut bound: Vec<(&'static str, ValueType)> = Vec::new();
    for (index, value) in inputs.iter().enumerate() {
        let (Some(value), Some(formal)) = (value, schema.input(index)) else {
            continue;
        };
        let found = value.value_type();
        let allowed = schema.types(formal);
        if !allowed.iter().any(|allowed| allowed.matches(&found)) {
            let allowed = list(allowed);
            return Err(NodeProblem::Type {
                index,
                name: formal.name,
                found: found.to_string(),
                allowed,
            });
        }
        // A heterogeneous variadic input binds its parameter anew at each position.
        let heterogeneous = formal.option == FormalOption::Variadic && !formal.homogeneous;
        let TypeRef::Constraint(parameter) = formal.type_ref else {
            continue;
        };
        if heterogeneous {
            continue;
        }
        match bound.iter().find(|(name, _)| *name == parameter) {
            None => bound.push((parameter, found)),
            Some((_, before)) if before.same_kind(&found) => {}
            Some((_, before)) => {
                let (found, bound) = (found.to_string(), before.to_string());
                return Err(NodeProblem::TypeConflict {
                    index,
                    name: formal.name,
                    found,
                    parameter,
                    bound,
                });
            }
        }
    }
    Ok(())
}

fn list(types: &[SchemaType]) -> String {
    types
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
