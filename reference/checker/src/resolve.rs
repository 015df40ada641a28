//! What a node means: a version of an operator, or a function of the model.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use onnx_model::{Function, Model, Node};
use onnx_schema::{OperatorSchema, Unresolved, canonical_domain};

use crate::problem::Problem;

/// Domain to opset, as a model or a function imports them.
pub type Imports = BTreeMap<String, i64>;

/// What a node means.
#[derive(Clone, Copy, Debug)]
pub enum Meaning<'m> {
    /// A version of an operator of ONNX.
    Operator(&'static OperatorSchema),
    /// A function of the model, which goes before an operator of the same name.
    Function(&'m Arc<Function>),
    /// An operator of a domain that is not ONNX's: nothing is known of it.
    Foreign,
}

/// The functions of a model by domain, name and overload.
#[derive(Debug)]
pub struct Functions<'m>(HashMap<(&'m str, &'m str, &'m str), &'m Arc<Function>>);

impl<'m> Functions<'m> {
    /// The functions of this model; of two with the same names, the first.
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

/// Domain, name and overload, which tell functions apart.
pub(crate) fn identity(function: &Function) -> (&str, &str, &str) {
    (
        canonical_domain(&function.domain),
        &function.name,
        &function.overload,
    )
}

/// What a node means under these imports (those of the model, or of the function whose body it stands in). A version that is
/// deprecated has a meaning too; whether it may be used is another question.
///
/// # Errors
/// A domain that is not imported, or an opset or operator that is not known.
pub fn meaning<'m>(
    functions: &Functions<'m>,
    imports: &Imports,
    node: &Node,
) -> Result<Meaning<'m>, Problem> {
    let domain = canonical_domain(&node.domain);
    if let Some(function) = functions.called_by(node) {
        return match imports.contains_key(domain) {
            true => Ok(Meaning::Function(function)),
            false => Err(Problem::ImportMissing {
                domain: shown(domain),
            }),
        };
    }
    if imports.contains_key(domain) && onnx_schema::newest_opset(domain).is_none() {
        return Ok(Meaning::Foreign);
    }
    match onnx_schema::resolve(imports, domain, &node.operator) {
        Ok(schema) => Ok(Meaning::Operator(schema)),
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
        Err(Unresolved::UnknownOperator { domain, name, opset }) => {
            let domain = shown(&domain);
            Err(Problem::OperatorUnknown { domain, name, opset })
        }
    }
}

/// The version that an operator has under these imports, also where it is deprecated.
pub(crate) fn since(functions: &Functions, imports: &Imports, node: &Node) -> Option<u32> {
    match functions.called_by(node) {
        Some(_) => None,
        None => onnx_schema::resolve(imports, &node.domain, &node.operator)
            .ok()
            .map(|schema| schema.since),
    }
}

/// A domain as a person reads it.
pub(crate) fn shown(domain: &str) -> String {
    if domain.is_empty() { "ai.onnx" } else { domain }.to_owned()
}
