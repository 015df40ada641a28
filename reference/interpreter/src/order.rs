//! Sorts graphs topologically before they run.

use std::sync::Arc;

use onnx_model::{Function, Graph, Model, Node, topological_order};

/// The model with the nodes of every graph, body and function in topological order. Of the nodes that could
/// come next, the first in the file is taken. A node in a cycle is omitted; the checker rejects cycles
/// before.
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
    topological_order(nodes)
        .into_iter()
        .map(|index| with_sorted_bodies(&nodes[index]))
        .collect()
}

fn with_sorted_bodies(node: &Node) -> Node {
    let mut sorted = node.clone();
    for body in sorted.bodies_mut() {
        *body = Arc::new(graph(body));
    }
    sorted
}
