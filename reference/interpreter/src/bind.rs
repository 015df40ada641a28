//! From a node to what evaluates it: one version of an operator, or a function of the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Function, Model, Node};
use onnx_operators::frame::{self, Version};
use onnx_schema::OperatorSchema;

use crate::error::NodeProblem;

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

/// Binds a node of `model` under these opset imports (those of the model, or of the function whose body it stands in).
pub fn bind(model: &Model, imports: &BTreeMap<String, i64>, node: &Node) -> Result<Binding, NodeProblem> {
    if let Some(function) = local_function(model, node) {
        return Ok(Binding::Function(Arc::clone(function)));
    }
    let schema = onnx_schema::resolve(imports, &node.domain, &node.operator)?;
    if schema.deprecated {
        return Err(NodeProblem::Deprecated);
    }
    let version =
        frame::version(schema.domain, schema.name, schema.since).ok_or(NodeProblem::NotImplemented)?;
    Ok(Binding::Operator { schema, version })
}

fn local_function<'m>(model: &'m Model, node: &Node) -> Option<&'m Arc<Function>> {
    let domain = onnx_schema::canonical_domain(&node.domain);
    model.functions.iter().find(|function| {
        onnx_schema::canonical_domain(&function.domain) == domain
            && function.name == node.operator
            && function.overload == node.overload
    })
}

/// The operator of a node with its version, as `Softmax-13` or `ai.onnx.ml.Scaler-1`; without a version where there is no
/// such operator.
pub fn label(imports: &BTreeMap<String, i64>, node: &Node) -> String {
    match onnx_schema::resolve(imports, &node.domain, &node.operator) {
        Ok(schema) => schema.to_string(),
        Err(_) => node.operator.clone(),
    }
}
