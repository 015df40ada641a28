//! Which node reads a name last.

use std::collections::HashMap;

use onnx_model::{AttributeValue, Graph, Node};

/// For each node the names that no later node and no output reads, so that memory can go.
pub(crate) fn last_uses(graph: &Graph) -> HashMap<usize, Vec<String>> {
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        visit_names(node, &mut |name| {
            last.insert(name, index);
        });
    }
    let mut uses: HashMap<usize, Vec<String>> = HashMap::new();
    for (name, index) in last {
        if graph.outputs.iter().all(|output| output.name != name) {
            uses.entry(index).or_default().push(name.to_owned());
        }
    }
    uses
}

/// Every name that a node or a body of it reads.
fn visit_names<'n>(node: &'n Node, visit: &mut impl FnMut(&'n str)) {
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
