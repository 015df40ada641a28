//! Graphs whose nodes do not stand in topological order, put in order before they run.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node};

use crate::reads::visit_names;

/// The model with the nodes of every graph, body and function in topological order: of the nodes that could come next,
/// the first in the file. A node in a circle is left out; the check refuses circles before.
pub(crate) fn sorted(model: &Model) -> Model {
    let function = |function: &Arc<Function>| {
        Arc::new(Function {
            nodes: nodes(&function.nodes),
            ..Function::clone(function)
        })
    };
    Model {
        graph: Arc::new(graph(&model.graph)),
        functions: model.functions.iter().map(function).collect(),
        ..model.clone()
    }
}

fn graph(graph: &Graph) -> Graph {
    Graph {
        nodes: nodes(&graph.nodes),
        ..graph.clone()
    }
}

fn nodes(nodes: &[Node]) -> Vec<Node> {
    let sorted = order(nodes);
    sorted
        .into_iter()
        .map(|index| with_sorted_bodies(&nodes[index]))
        .collect()
}

fn with_sorted_bodies(node: &Node) -> Node {
    let attribute = |attribute: &Attribute| {
        let value = match &attribute.value {
            AttributeValue::Graph(body) => AttributeValue::Graph(Arc::new(graph(body))),
            AttributeValue::Graphs(bodies) => {
                AttributeValue::Graphs(bodies.iter().map(|body| Arc::new(graph(body))).collect())
            }
            value => value.clone(),
        };
        Attribute {
            name: attribute.name.clone(),
            value,
        }
    };
    Node {
        attributes: node.attributes.iter().map(attribute).collect(),
        ..node.clone()
    }
}

/// The positions of the nodes in topological order.
fn order(nodes: &[Node]) -> Vec<usize> {
    let mut producers: HashMap<&str, usize> = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        for output in node.outputs.iter().filter(|output| !output.is_empty()) {
            producers.entry(output).or_insert(index);
        }
    }
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut waits_for = vec![0_usize; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        visit_names(node, &mut |name| {
            if let Some(&producer) = producers.get(name) {
                readers[producer].push(index);
                waits_for[index] += 1;
            }
        });
    }
    let free = (0..nodes.len()).filter(|&index| waits_for[index] == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = free.map(Reverse).collect();
    let mut sorted = Vec::with_capacity(nodes.len());
    while let Some(Reverse(index)) = ready.pop() {
        sorted.push(index);
        for &reader in &readers[index] {
            waits_for[reader] -= 1;
            if waits_for[reader] == 0 {
                ready.push(Reverse(reader));
            }
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::order;
    use onnx_model::Node;

    fn node(inputs: &[&str], output: &str) -> Node {
        Node {
            inputs: inputs.iter().map(|&name| name.to_owned()).collect(),
            outputs: vec![output.to_owned()],
            ..Node::default()
        }
    }

    #[track_caller]
    fn check(nodes: &[Node], expected: &[usize]) {
        assert_eq!(order(nodes), expected);
    }

    #[test]
    fn the_first_that_can_come_next_comes_next() {
        check(&[node(&["x"], "a"), node(&["a", "a"], "b")], &[0, 1]);
        check(
            &[node(&["b"], "c"), node(&["a"], "b"), node(&["x"], "a")],
            &[2, 1, 0],
        );
        check(
            &[
                node(&["b"], "c"),
                node(&["x"], "a"),
                node(&["x"], "b"),
                node(&["x"], "d"),
            ],
            &[1, 2, 0, 3],
        );
        check(&[node(&["b"], "a"), node(&["a"], "b"), node(&["x"], "c")], &[2]);
    }
}
