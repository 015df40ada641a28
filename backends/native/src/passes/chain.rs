//! Nodes that replace one node: each reads results of those before it.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use super::{Report, infer};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, Operator, ValueId};

/// Replaces each node for which `write` returns nodes by these, and infers their types. The report says
/// `what` a node now does. While a node is visited, the graph has only the nodes before it.
pub fn replace(
    graph: &mut Graph,
    what: &str,
    mut write: impl FnMut(&mut Graph, &Node) -> Option<Vec<Node>>,
) -> Result<Report, NodeError> {
    let mut report = Report::new();
    for node in std::mem::take(&mut graph.nodes) {
        let Some(nodes) = write(graph, &node) else {
            graph.nodes.push(node);
            continue;
        };
        report.push(format!("`{}` {what}", node.name));
        for made in nodes {
            infer::node(graph, &made)?;
            graph.nodes.push(made);
        }
    }
    Ok(report)
}

/// Nodes in order, which are not in the graph yet.
pub struct Chain<'a> {
    pub graph: &'a mut Graph,
    name: &'a str,
    made: Vec<Node>,
}

impl<'a> Chain<'a> {
    /// Starts the nodes that replace the node of this name.
    pub fn new(graph: &'a mut Graph, name: &'a str) -> Self {
        Self {
            graph,
            name,
            made: Vec::new(),
        }
    }

    /// Adds a node; returns its result.
    pub fn add<'b>(
        &mut self,
        operator: &str,
        since: u32,
        attributes: impl IntoIterator<Item = (&'b str, AttributeValue)>,
        inputs: Vec<Option<ValueId>>,
    ) -> ValueId {
        let result = self.graph.add(format!("{}.{operator}", self.name), None, None);
        if let Some(operator) = Operator::make(operator, since, attributes) {
            self.made.push(Node {
                name: self.name.to_owned(),
                op: Op::Plain(operator),
                inputs,
                outputs: vec![Some(result)],
            });
        }
        result
    }

    /// Adds a Reshape.
    pub fn reshaped(&mut self, value: ValueId, extents: &[usize]) -> ValueId {
        let extents = extents.iter().map(|&extent| extent as i64).collect();
        let shape = self.graph.add_constant("extents", Tensor::vector(extents));
        self.add("Reshape", 14, None, vec![Some(value), Some(shape)])
    }

    /// Returns the nodes, where the one that made `last` makes `result` instead.
    pub fn ending(self, last: ValueId, result: ValueId) -> Vec<Node> {
        self.ending_in(&[(last, result)])
    }

    /// Returns the nodes. The second of each pair of values is made and read instead of the first.
    pub fn ending_in(mut self, results: &[(ValueId, ValueId)]) -> Vec<Node> {
        for node in &mut self.made {
            let values = node.inputs.iter_mut().chain(&mut node.outputs).flatten();
            for value in values {
                if let Some((_, result)) = results.iter().find(|(made, _)| made == value) {
                    *value = *result;
                }
            }
        }
        self.made
    }
}
