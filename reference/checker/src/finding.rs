//! Violations with their places, and lists of them.

use std::collections::HashSet;
use std::fmt;

use onnx_model::Node;

use crate::problem::Problem;
use crate::rule::Rule;

/// A violation of a rule and its place.
#[derive(Debug)]
pub struct Finding {
    /// The graph or function: `main graph`, `function local.Gelu`, `main graph, body of node "loop"`; empty
    /// for the whole model.
    pub graph: String,
    /// The node; `None` if the finding does not concern a single node.
    pub node: Option<NodePlace>,
    /// The violation.
    pub problem: Problem,
}

/// A node, as shown to a user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodePlace {
    /// Its name, otherwise its position and outputs: `#3 → y, z`.
    pub label: String,
    /// The operator with its domain: `Softmax`, `ai.onnx.ml.Scaler`.
    pub operator: String,
    /// The version of the operator at the imported opset; `None` for a function and for an unknown
    /// operator.
    pub since: Option<u32>,
}

impl NodePlace {
    /// The place of a node: its position in the graph or function, and the version of its operator.
    pub fn new(index: usize, node: &Node, since: Option<u32>) -> NodePlace {
        let label = match node.name.as_str() {
            "" => format!("#{index} → {}", node.outputs.join(", ")),
            name => name.to_owned(),
        };
        let operator = match onnx_schema::canonical_domain(&node.domain) {
            "" => node.operator.clone(),
            domain => format!("{domain}.{}", node.operator),
        };
        NodePlace {
            label,
            operator,
            since,
        }
    }
}

impl Finding {
    /// The violated rule.
    pub fn rule(&self) -> Rule {
        self.problem.rule()
    }
}

/// ``main graph: node `conv1` (Conv-11): attribute `x` is not one of this version``.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.graph.is_empty() {
            write!(f, "{}: ", self.graph)?;
        }
        if let Some(node) = &self.node {
            write!(f, "node `{}` ({}", node.label, node.operator)?;
            match node.since {
                Some(since) => write!(f, "-{since}): ")?,
                None => f.write_str("): ")?,
            }
        }
        write!(f, "{}", self.problem)
    }
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Findings {
    /// The findings, at most [`Limits::findings`](crate::Limits::findings).
    pub list: Vec<Finding>,
    /// The number of further findings.
    pub omitted: usize,
}

impl Findings {
    /// Whether the model has no violation.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Collects findings during a traversal.
pub(crate) struct Sink {
    found: Findings,
    limit: usize,
    /// Findings that are already reported: the body of a function is checked once for each way to call it.
    reported: HashSet<String>,
}

impl Sink {
    pub(crate) fn new(limit: usize) -> Sink {
        Sink {
            found: Findings::default(),
            limit,
            reported: HashSet::new(),
        }
    }

    pub(crate) fn push(&mut self, graph: &str, node: Option<NodePlace>, problem: Problem) {
        if self.found.list.len() >= self.limit {
            self.found.omitted += 1;
            return;
        }
        let graph = graph.to_owned();
        let finding = Finding { graph, node, problem };
        if self.reported.insert(finding.to_string()) {
            self.found.list.push(finding);
        }
    }

    pub(crate) fn finish(self) -> Findings {
        self.found
    }
}
