//! Whether a backend can run a model: what it declares of the operators, and whether it loads the model.

use std::collections::BTreeSet;
use std::sync::Arc;

use backend_api::{Capabilities, Named};
use harness_conformance::judge::Judgement;
use onnx_checker::{NodeUse, usage};
use onnx_model::{Function, Model};
use onnx_schema::canonical_domain;

use crate::InvestigateError;
use crate::cut::{Prepared, operator};
use crate::runner::{Question, Runner};
use crate::subject::Subject;
use crate::trial::question;

/// What a backend declares of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declared {
    /// Nothing that tells.
    Unknown,
    /// Every node.
    Every {
        /// From a list of operator versions, or from the highest opset alone.
        by: Source,
    },
    /// Not every node.
    Lacks {
        /// From a list of operator versions, or from the highest opset alone.
        by: Source,
        /// How many nodes have an operator that it does not declare.
        nodes: usize,
        /// The first of them.
        first: Node,
    },
}

/// What a declaration follows from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A list of operator versions.
    Operators,
    /// The highest opset.
    Opset,
}

/// A node as a person finds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The graph or function.
    pub graph: String,
    /// Its name, else its position and outputs.
    pub name: String,
    /// Operator and version.
    pub operator: String,
}

/// What a backend made of a model.
#[derive(Clone, Debug)]
pub enum Observed {
    /// It loads it.
    Loads {
        /// How long it took.
        nanoseconds: u64,
    },
    /// It does not.
    Refuses {
        /// How it fails.
        judgement: Judgement,
        /// The node with which it begins to fail; none where it fails on no beginning of the model.
        first: Option<Node>,
        /// The number of models that were loaded to find it.
        loads: usize,
    },
}

/// What a backend declares and does.
#[derive(Clone, Debug)]
pub struct Support {
    /// From its capabilities.
    pub declared: Declared,
    /// From loading the model.
    pub observed: Observed,
}

/// Asks a backend what it declares, and has it load the model. Some backends need the inputs for that.
///
/// # Errors
/// A worker that cannot be started again, or an interruption.
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

/// What capabilities say of the nodes of a model, bodies and called functions included.
pub fn declared(model: &Model, capabilities: &Capabilities) -> Declared {
    let by = match capabilities.operators.is_empty() {
        false => Source::Operators,
        true if capabilities.opsets.is_empty() => return Declared::Unknown,
        true => Source::Opset,
    };
    let is_function = |used: &NodeUse| {
        let named = |function: &Arc<Function>| {
            canonical_domain(&function.domain) == used.domain && function.name == used.operator
        };
        model.functions.iter().any(named)
    };
    let declares = |used: &NodeUse| match (by, used.since) {
        // A function of the model is what its nodes are.
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

/// The operators of a model with their versions, such as `Softmax-13`, bodies and functions included. Calls of functions of the model
/// are not among them.
pub fn operators(model: &Model) -> BTreeSet<String> {
    let uses = usage(model);
    uses.iter()
        .filter(|used| used.since.is_some())
        .map(label)
        .collect()
}

/// `Softmax-13`, `ai.onnx.ml.Scaler-1`; without a version where there is none.
fn label(used: &NodeUse) -> String {
    let name = match used.domain.as_str() {
        "" => used.operator.clone(),
        domain => format!("{domain}.{}", used.operator),
    };
    used.since.map_or(name.clone(), |since| format!("{name}-{since}"))
}

fn observed(subject: &Subject, inputs: &[Named], backend: &mut Runner) -> Result<Observed, InvestigateError> {
    let whole = Question {
        model: subject.bytes.clone(),
        files: subject.files.clone(),
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

/// The node at the end of the shortest beginning of the model that fails in the same way, in ⌈log₂ n⌉ loads.
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
    let (mut low, mut high, mut loads) = (0, prepared.len(), 0);
    while low < high {
        let middle = low + (high - low) / 2;
        let nodes: Vec<usize> = (0..=middle).collect();
        let part = prepared.cut(&nodes, &prepared.live(middle + 1), &known);
        loads += 1;
        match backend.load(&question(&part))? {
            Err(judgement) if judgement.verdict.kind() == like.verdict.kind() => high = middle,
            Err(_) | Ok(_) => low = middle + 1,
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
        }
    }

    #[test]
    fn a_declaration_is_of_operators_or_of_an_opset() {
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
