//! The names that a node reads, also those that its bodies read of the graph around it.

use onnx_model::{AttributeValue, Node};

/// Every name that a node or a body of it reads.
pub(crate) fn visit_names<'n>(node: &'n Node, visit: &mut impl FnMut(&'n str)) {
    for name in node.inputs.iter().filter(|name| !name.is_empty()) {
        visit(name);
    }
    for attribute in &node.attributes {
        let graphs: &[_] = match &attribute.value {
            AttributeValue::Graph(graph) => std::slice::from_ref(graph),
            AttributeValue::Graphs(graphs) => graphs,
            _ => &[],
        };
        for graph in graphs {
            graph.outputs.iter().for_each(|output| visit(&output.name));
            graph.nodes.iter().for_each(|inner| visit_names_dyn(inner, visit));
        }
    }
}

/// Breaks the chain of instantiations that recursion over `impl FnMut` would make.
fn visit_names_dyn<'n>(node: &'n Node, mut visit: &mut dyn FnMut(&'n str)) {
    visit_names(node, &mut visit);
}
