//! Whether a backend can run a model: what it declares about the operators, and whether it loads the
//! model.

use std::collections::BTreeSet;
use std::sync::Arc;

use backend_api::{Capabilities, Named};
use harness_conformance::judge::Judgement;
use onnx_checker::{NodeUse, usage};
use onnx_model::{Function, Model};
use onnx_schema::canonical_domain;

use crate::InvestigateError;
use crate::cut::{Prepared, operator};
use crate::form::Form;
use crate::runner::{RunRequest, Runner};
use crate::signature::Signature;
use crate::subject::Subject;
use crate::trial::request;

/// What a backend declares about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declared {
    /// The capabilities do not tell.
    Unknown,
    /// It declares every node.
    Every {
        /// The source of the declaration.
        by: Source,
    },
    /// It does not declare every node.
    Lacks {
        /// The source of the declaration.
        by: Source,
        /// The number of nodes with operators that it does not declare.
        nodes: usize,
        /// The first of them.
        first: Node,
    },
}

/// The source of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A list of operator versions.
    Operators,
    /// The highest opset.
    Opset,
}

/// The location of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The graph or function.
    pub graph: String,
    /// Its name, or else its position and outputs.
    pub name: String,
    /// Operator and version.
    pub operator: String,
}

/// The result of loading a model.
#[derive(Clone, Debug)]
pub enum Observed {
    /// The backend loads it.
    Loads {
        /// The time of the load.
        nanoseconds: u64,
    },
    /// The backend does not load it.
    Refuses {
        /// The failure.
        judgement: Judgement,
        /// The node at which it starts to fail; `None` if it fails on no prefix of the model.
        first: Option<Node>,
        /// The number of loads in the search for this node.
        loads: usize,
    },
}

/// What a backend declares and what it does.
#[derive(Clone, Debug)]
pub struct Support {
    /// From its capabilities.
    pub declared: Declared,
    /// From loading the model.
    pub observed: Observed,
}

/// Compares what a backend declares with whether it loads the model. Some backends need the inputs for
/// that.
///
/// # Errors
/// A worker cannot be started again, or the command is interrupted.
pub fn support(
    subject: &Subject,
    inputs: &[Named],
    backend: &mut Runner,
) -> Result<Support, InvestigateError> {
    let capabilities = backend.capabilities()?;
    Ok(Support {
        declared: declared(&subject.model, &capabilities),
        observed: observed(subject, inputs, backend)?,
    })
}

/// What capabilities declare about the nodes of a model, including bodies and called functions.
pub fn declared(model: &Model, capabilities: &Capabilities) -> Declared {
    let by = if !capabilities.operators.is_empty() {
        Source::Operators
    } else if capabilities.opsets.is_empty() {
        return Declared::Unknown;
    } else {
        Source::Opset
    };
    let is_function = |used: &NodeUse| {
        let named = |function: &Arc<Function>| {
            canonical_domain(&function.domain) == used.domain && function.name == used.operator
        };
        model.functions.iter().any(named)
    };
    let declares = |used: &NodeUse| match (by, used.since) {
        // A call of a model's function is represented by the nodes of the function.
        (_, None) => is_function(used),
        (Source::Operators, Some(_)) => capabilities.operators.contains(&label(used)),
        (Source::Opset, Some(since)) => {
            let highest = capabilities
                .opsets
                .iter()
                .find(|(domain, _)| canonical_domain(domain) == used.domain);
            highest.is_some_and(|(_, highest)| i64::from(since) <= *highest)
        }
    };
    let uses = usage(model);
    let mut missing = uses.iter().filter(|used| !declares(used));
    match missing.next() {
        None => Declared::Every { by },
        Some(first) => Declared::Lacks {
            by,
            nodes: 1 + missing.count(),
            first: Node {
                graph: first.graph.clone(),
                name: first.node.clone(),
                operator: label(first),
            },
        },
    }
}

/// The operators of a model with their versions, such as `Softmax-13`, including bodies and functions,
/// without calls of the model's functions.
pub fn operators(model: &Model) -> BTreeSet<String> {
    let uses = usage(model);
    uses.iter()
        .filter(|used| used.since.is_some())
        .map(label)
        .collect()
}

/// `Softmax-13`, `ai.onnx.ml.Scaler-1`; without a version if it is unknown.
fn label(used: &NodeUse) -> String {
    let name = match used.domain.as_str() {
        "" => used.operator.clone(),
        domain => format!("{domain}.{}", used.operator),
    };
    used.since.map_or(name.clone(), |since| format!("{name}-{since}"))
}

fn observed(subject: &Subject, inputs: &[Named], backend: &mut Runner) -> Result<Observed, InvestigateError> {
    let whole = RunRequest {
        model: subject.bytes.clone(),
        external: subject.external.clone(),
        inputs: inputs.to_vec(),
    };
    match backend.load(&whole)? {
        Ok(nanoseconds) => Ok(Observed::Loads { nanoseconds }),
        Err(judgement) => {
            let (first, loads) = first_refused(subject, inputs, &judgement, backend)?;
            Ok(Observed::Refuses {
                judgement,
                first,
                loads: loads + 1,
            })
        }
    }
}

/// The last node of the shortest prefix of the model that fails in the same way, found in ⌈log₂ n⌉
/// loads. The prefixes declare what the file declares only if the failure needs it.
fn first_refused(
    subject: &Subject,
    inputs: &[Named],
    like: &Judgement,
    backend: &mut Runner,
) -> Result<(Option<Node>, usize), InvestigateError> {
    let prepared = Prepared::new(&subject.model, inputs);
    let known = |name: &str| {
        let value = inputs.iter().find(|(known, _)| known == name);
        value.map(|(_, value)| value.clone())
    };
    let like = Signature::of_failure(like);
    let mut loads = 0;
    let mut refuses = |form: Form, count: usize| -> Result<bool, InvestigateError> {
        let nodes: Vec<usize> = (0..count).collect();
        let part = prepared.cut_as(form, &nodes, &prepared.live(count), &known);
        loads += 1;
        let loaded = backend.load(&request(&part))?;
        Ok(loaded.is_err_and(|judgement| Signature::of_failure(&judgement) == like))
    };
    let declared = Form {
        keeps: true,
        ..Form::BARE
    };
    let form = if refuses(Form::BARE, prepared.len())? {
        Form::BARE
    } else if refuses(declared, prepared.len())? {
        declared
    } else {
        return Ok((None, loads));
    };
    let (mut low, mut high) = (0, prepared.len().saturating_sub(1));
    while low < high {
        let middle = low + (high - low) / 2;
        if refuses(form, middle + 1)? {
            high = middle
        } else {
            low = middle + 1
        }
    }
    let node = prepared.node(low).map(|node| Node {
        graph: "main graph".to_owned(),
        name: node.label().to_owned(),
        operator: operator(&prepared.model, node),
    });
    Ok((node, loads))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use onnx_model::{Graph, Node as ModelNode};

    use super::*;

    /// Relu, Gelu and a call of a function of the model, at opset 20.
    fn model() -> Model {
        let node = |domain: &str, operator: &str, output: &str| ModelNode {
            name: format!("the {operator}"),
            domain: domain.to_owned(),
            operator: operator.to_owned(),
            inputs: vec!["x".to_owned()],
            outputs: vec![output.to_owned()],
            ..ModelNode::default()
        };
        let nodes = vec![
            node("", "Relu", "a"),
            node("", "Gelu", "b"),
            node("local", "Own", "c"),
        ];
        Model {
            ir_version: 9,
            opset_imports: BTreeMap::from([(String::new(), 20), ("local".to_owned(), 1)]),
            graph: Arc::new(Graph {
                nodes,
                ..Graph::default()
            }),
            functions: vec![Arc::new(Function {
                domain: "local".to_owned(),
                name: "Own".to_owned(),
                ..Function::default()
            })],
            producer_name: String::new(),
            producer_version: String::new(),
            oddities: Vec::new(),
        }
    }

    #[test]
    fn a_declaration_lists_operators_or_an_opset() {
        let gelu = || Node {
            graph: "main graph".to_owned(),
            name: "the Gelu".to_owned(),
            operator: "Gelu-20".to_owned(),
        };
        let lacks = |by| Declared::Lacks {
            by,
            nodes: 1,
            first: gelu(),
        };
        let of = |operators: &[&str], opset: Option<i64>| {
            let capabilities = Capabilities {
                operators: operators.iter().map(|name| (*name).to_owned()).collect(),
                opsets: opset.map(|opset| (String::new(), opset)).into_iter().collect(),
                ..Capabilities::default()
            };
            declared(&model(), &capabilities)
        };
        assert_eq!(of(&[], None), Declared::Unknown);
        assert_eq!(of(&["Relu-14"], Some(20)), lacks(Source::Operators));
        assert_eq!(
            of(&["Relu-14", "Gelu-20"], None),
            Declared::Every {
                by: Source::Operators
            }
        );
        assert_eq!(of(&[], Some(19)), lacks(Source::Opset));
        assert_eq!(of(&[], Some(20)), Declared::Every { by: Source::Opset });
    }
}
