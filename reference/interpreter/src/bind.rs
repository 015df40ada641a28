//! Binds a node to its implementation: a version of an operator, or a function of the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_checker::{Functions, Problem, Resolved, resolve};
use onnx_model::{Function, Node};
use onnx_operators::frame::{self, Version};
use onnx_schema::OperatorSchema;

use crate::deviation::withdrawn_later;
use crate::error::NodeProblem;

/// The implementation of a node.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A version of an operator.
    Operator {
        /// Its signature.
        schema: &'static OperatorSchema,
        /// Its implementation.
        version: &'static Version,
    },
    /// A function of the model.
    Function(Arc<Function>),
}

/// Binds a node under these opset imports (those of the model, or of the function whose body contains the
/// node).
///
/// # Errors
/// The node is invalid, the reference does not implement the version, or the operator is in a domain
/// outside of ONNX and is not a function of the model.
pub fn bind(
    functions: &Functions,
    imports: &BTreeMap<String, i64>,
    node: &Node,
) -> Result<Binding, NodeProblem> {
    let schema = match resolve(functions, imports, node)? {
        Resolved::Operator(schema) if schema.deprecated && !withdrawn_later(schema) => {
            return Err(Problem::OperatorDeprecated.into());
        }
        Resolved::Operator(schema) => schema,
        Resolved::Function(function) => return Ok(Binding::Function(Arc::clone(function))),
        Resolved::Foreign => return Err(NodeProblem::ForeignDomain(node.domain.clone())),
    };
    let version =
        frame::version(schema.domain, schema.name, schema.since).ok_or(NodeProblem::NotImplemented)?;
    Ok(Binding::Operator { schema, version })
}

/// The operator versions that the reference implements: those of ONNX, sorted by domain, name and
/// since_version, and then those that ONNX Runtime adds.
pub fn implemented() -> impl Iterator<Item = &'static OperatorSchema> {
    onnx_schema::all()
        .chain(onnx_schema::contrib())
        .filter(|schema| frame::version(schema.domain, schema.name, schema.since).is_some())
}

/// The operator of a node with its version, such as `Softmax-13` or `ai.onnx.ml.Scaler-1`.
pub fn label(imports: &BTreeMap<String, i64>, node: &Node) -> String {
    onnx_schema::operator_label(imports, &node.domain, &node.operator)
}
