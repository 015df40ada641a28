//! Resolves a node to a version of an operator or to a function of the model.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use onnx_model::{Function, Model, Node};
use onnx_schema::{CONTRIB_DOMAIN, OperatorSchema, Unresolved, canonical_domain};

use crate::problem::Problem;

/// Opset imports of a model or a function: domain to opset.
pub type Imports = BTreeMap<String, i64>;

/// The operator or function of a node.
#[derive(Clone, Copy, Debug)]
pub enum Resolved<'m> {
    /// A version of an operator of ONNX.
    Operator(&'static OperatorSchema),
    /// A function of the model, which has priority over an operator of the same name.
    Function(&'m Arc<Function>),
    /// An operator of a domain without schemas, or a contrib operator that the table does not have.
    Foreign,
}

/// The functions of a model by domain, name and overload.
#[derive(Debug)]
pub struct Functions<'m>(HashMap<(&'m str, &'m str, &'m str), &'m Arc<Function>>);

impl<'m> Functions<'m> {
    /// The functions of this model. Of two functions with equal identity, the first is kept.
    pub fn new(model: &'m Model) -> Functions<'m> {
        let mut known = HashMap::new();
        for function in &model.functions {
            known.entry(identity(function)).or_insert(function);
        }
        Functions(known)
    }

    /// The function that a node calls.
    pub fn called_by(&self, node: &Node) -> Option<&'m Arc<Function>> {
        if self.0.is_empty() {
            return None;
        }
        let key = (
            canonical_domain(&node.domain),
            node.operator.as_str(),
            node.overload.as_str(),
        );
        self.0.get(&key).copied()
    }
}

/// Domain, name and overload, which identify a function.
pub(crate) fn identity(function: &Function) -> (&str, &str, &str) {
    (
        canonical_domain(&function.domain),
        &function.name,
        &function.overload,
    )
}

/// Resolves a node under these imports (those of the model, or of the function whose body contains the
/// node). A deprecated version is resolved too; a separate rule checks whether it may be used.
///
/// # Errors
/// The domain is not imported, or the opset or the operator is unknown.
pub fn resolve<'m>(
    functions: &Functions<'m>,
    imports: &Imports,
    node: &Node,
) -> Result<Resolved<'m>, Problem> {
    let domain = canonical_domain(&node.domain);
    if let Some(function) = functions.called_by(node) {
        return if imports.contains_key(domain) {
            Ok(Resolved::Function(function))
        } else {
            Err(Problem::ImportMissing {
                domain: shown(domain),
            })
        };
    }
    if imports.contains_key(domain) && onnx_schema::newest_opset(domain).is_none() {
        return Ok(Resolved::Foreign);
    }
    match onnx_schema::resolve(imports, domain, &node.operator) {
        Ok(schema) => Ok(Resolved::Operator(schema)),
        Err(Unresolved::NoImport { domain }) => Err(Problem::ImportMissing {
            domain: shown(&domain),
        }),
        Err(Unresolved::UnknownOpset {
            domain,
            opset,
            newest,
        }) => {
            let domain = shown(&domain);
            Err(Problem::OpsetUnknown {
                domain,
                opset,
                newest,
            })
        }
        // Each release of ONNX Runtime adds and removes some.
        Err(Unresolved::UnknownOperator { domain, .. }) if domain == CONTRIB_DOMAIN => Ok(Resolved::Foreign),
        Err(Unresolved::UnknownOperator { domain, name, opset }) => {
            let domain = shown(&domain);
            Err(Problem::OperatorUnknown { domain, name, opset })
        }
    }
}

/// The version of an operator under these imports, also if it is deprecated.
pub(crate) fn since(functions: &Functions, imports: &Imports, node: &Node) -> Option<u32> {
    match functions.called_by(node) {
        Some(_) => None,
        None => onnx_schema::resolve(imports, &node.domain, &node.operator)
            .ok()
            .map(|schema| schema.since),
    }
}

/// A domain for display: the default domain is `ai.onnx`.
pub(crate) fn shown(domain: &str) -> String {
    if domain.is_empty() { "ai.onnx" } else { domain }.to_owned()
}
