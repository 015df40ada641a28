//! A breach with its place, and the list that breaches go into.

use std::collections::HashSet;
use std::fmt;

use onnx_model::Node;

use crate::problem::Problem;
use crate::rule::Rule;

/// A breach of a rule, and where it is.
#[derive(Debug)]
pub struct Finding {
    /// The graph or function: `main graph`, `function local.Gelu`, `main graph, body of node "loop"`; empty for the model as
    /// a whole.
    pub graph: String,
    /// The node; `None` for what concerns no single node.
    pub node: Option<NodePlace>,
    /// What is wrong.
    pub problem: Problem,
}

/// A node, as a person finds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodePlace {
    /// Its name, else its position and outputs: `#3 → y, z`.
    pub label: String,
    /// The operator with its domain: `Softmax`, `ai.onnx.ml.Scaler`.
    pub operator: String,
    /// The version that the imported opset gives it; `None` for a function and where there is none.
    pub since: Option<u32>,
}

impl NodePlace {
    pub(crate) fn new(index: usize, node: &Node, since: Option<u32>) -> NodePlace {
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
    /// The rule that is broken.
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

/// What a check found.
#[derive(Debug, Default)]
pub struct Findings {
    /// The findings, at most as many as allowed.
    pub list: Vec<Finding>,
    /// How many more there are.
    pub omitted: usize,
}

impl Findings {
    /// Whether the model keeps every rule.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Where findings go while a model is walked.
pub(crate) struct Sink {
    found: Findings,
    limit: usize,
    /// What was said already: the body of a function is walked once for each way to call it.
    said: HashSet<String>,
}

impl Sink {
    pub(crate) fn new(limit: usize) -> Sink {
        Sink {
            found: Findings::default(),
            limit,
            said: HashSet::new(),
        }
    }

    pub(crate) fn push(&mut self, graph: &str, node: Option<NodePlace>, problem: Problem) {
        if self.found.list.len() >= self.limit {
            self.found.omitted += 1;
            return;
        }
        let graph = graph.to_owned();
        let finding = Finding { graph, node, problem };
        if self.said.insert(finding.to_string()) {
            self.found.list.push(finding);
        }
    }

    pub(crate) fn finish(self) -> Findings {
        self.found
    }
}
