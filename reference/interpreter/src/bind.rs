//! From a node to what evaluates it: one version of an operator, or a function of the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_checker::{Functions, Meaning, Problem, meaning};
use onnx_model::{Function, Node};
use onnx_operators::frame::{self, Version};
use onnx_schema::OperatorSchema;

use crate::error::NodeProblem;
use crate::leniency::withdrawn_later;

/// What evaluates a node.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A version of an operator.
    Operator {
        /// Its signature.
        schema: &'static OperatorSchema,
        /// Its meaning.
        version: &'static Version,
    },
    /// A function of the model.
    Function(Arc<Function>),
}

/// Binds a node under these opset imports (those of the model, or of the function whose body it stands in).
///
/// # Errors
/// A node that means nothing, and a version or an operator of a foreign domain that the reference lacks.
pub fn bind(
    functions: &Functions,
    imports: &BTreeMap<String, i64>,
    node: &Node,
) -> Result<Binding, NodeProblem> {
    let schema = match meaning(functions, imports, node)? {
        Meaning::Operator(schema) if schema.deprecated && !withdrawn_later(schema) => {
            return Err(Problem::OperatorDeprecated.into());
        }
        Meaning::Operator(schema) => schema,
        Meaning::Function(function) => return Ok(Binding::Function(Arc::clone(function))),
        Meaning::Foreign => return Err(NodeProblem::ForeignDomain(node.domain.clone())),
    };
    let version =
        frame::version(schema.domain, schema.name, schema.since).ok_or(NodeProblem::NotImplemented)?;
    Ok(Binding::Operator { schema, version })
}

/// The operator versions that have a meaning here, sorted by domain, name and since.
pub fn implemented() -> impl Iterator<Item = &'static OperatorSchema> {
    onnx_schema::all().filter(|schema| frame::version(schema.domain, schema.name, schema.since).is_some())
}

/// The operator of a node with its version, as `Softmax-13` or `ai.onnx.ml.Scaler-1`.
pub fn label(imports: &BTreeMap<String, i64>, node: &Node) -> String {
    onnx_schema::operator_label(imports, &node.domain, &node.operator)
}
