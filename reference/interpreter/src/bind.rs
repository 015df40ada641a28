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
    let schema = schema(imports, node)?;
    if schema.deprecated {
        return Err(NodeProblem::Deprecated);
    }
    let version =
        frame::version(schema.domain, schema.name, schema.since).ok_or(NodeProblem::NotImplemented)?;
    Ok(Binding::Operator { schema, version })
}

/// The schema that the imports give a node.
pub fn schema(imports: &BTreeMap<String, i64>, node: &Node) -> Result<&'static OperatorSchema, NodeProblem> {
    let domain = onnx_schema::canonical_domain(&node.domain);
    let opset = *imports
        .get(domain)
        .ok_or_else(|| NodeProblem::NoImport(domain.to_owned()))?;
    if let Some(newest) = onnx_schema::newest_opset(domain).filter(|&newest| opset > i64::from(newest)) {
        return Err(NodeProblem::UnknownOpset {
            domain: domain.to_owned(),
            opset,
            newest,
        });
    }
    u32::try_from(opset)
        .ok()
        .and_then(|opset| onnx_schema::lookup(domain, &node.operator, opset))
        .ok_or_else(|| NodeProblem::UnknownOperator {
            domain: domain.to_owned(),
            opset,
        })
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
    let domain = onnx_schema::canonical_domain(&node.domain);
    let name = if domain.is_empty() {
        node.operator.clone()
    } else {
        format!("{domain}.{}", node.operator)
    };
    match schema(imports, node) {
        Ok(schema) => format!("{name}-{}", schema.since),
        Err(_) => name,
    }
}
