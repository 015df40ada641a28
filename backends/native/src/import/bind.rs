//! Binds a node to the code for its operator version and checks its attributes against the schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{AttributeValue, Node};
use onnx_schema::OperatorSchema;

use crate::attributes::Attributes;
use crate::error::{NodeError, Problem};
use crate::ir::Operator;
use crate::ops;

/// Makes the error of a node.
pub fn node_error(node: &Node, schema: &OperatorSchema, problem: Problem) -> NodeError {
    NodeError {
        node: node.label().to_owned(),
        operator: schema.to_string(),
        problem,
    }
}

/// Returns the operator of a node with its attributes; `None` if it is not implemented.
pub fn operator(
    node: &Node,
    schema: &'static OperatorSchema,
    given: BTreeMap<String, AttributeValue>,
) -> Result<Option<Operator>, NodeError> {
    let Some(row) = ops::find(schema.domain, schema.name, schema.since) else {
        return Ok(None);
    };
    check(node, schema, &given).map_err(|problem| node_error(node, schema, problem))?;
    Ok(Some(Operator {
        schema,
        row,
        attributes: Arc::new(Attributes::new(given, schema)),
    }))
}

/// Whether the version withdraws an operator that earlier versions have. If its first version is
/// deprecated, models were valid before a later edition of the specification deprecated it.
pub fn is_withdrawn(schema: &OperatorSchema) -> bool {
    let first = onnx_schema::versions(schema.domain, schema.name).first();
    schema.deprecated && first.is_none_or(|first| first.since != schema.since)
}

/// Checks the numbers of inputs and outputs, and the attributes.
///
/// # Errors
/// What the signature does not allow.
pub fn check(
    node: &Node,
    schema: &OperatorSchema,
    given: &BTreeMap<String, AttributeValue>,
) -> Result<(), Problem> {
    if is_withdrawn(schema) {
        return Err(Problem::Invalid(
            "this version deprecates the operator".to_owned(),
        ));
    }
    let arity = |what: &str, found: usize, least: usize, most: usize| {
        let wrong = || Problem::Invalid(format!("expected {least} to {most} {what}, got {found}"));
        (least..=most).contains(&found).then_some(()).ok_or_else(wrong)
    };
    arity("inputs", node.inputs.len(), schema.min_inputs, schema.max_inputs)?;
    arity(
        "outputs",
        node.outputs.len(),
        schema.min_outputs,
        schema.max_outputs,
    )?;
    for (name, value) in given {
        let Some(declared) = schema.attribute(name) else {
            return Err(Problem::Invalid(format!(
                "this version has no attribute `{name}`"
            )));
        };
        if value.kind().is_some_and(|kind| kind != declared.kind) {
            return Err(Problem::Invalid(format!(
                "attribute `{name}` is not of kind {:?}",
                declared.kind
            )));
        }
    }
    let missing = schema
        .attributes
        .iter()
        .find(|attribute| attribute.required && !given.contains_key(attribute.name));
    missing.map_or(Ok(()), |attribute| {
        Err(Problem::Invalid(format!(
            "attribute `{}` is missing",
            attribute.name
        )))
    })
}
