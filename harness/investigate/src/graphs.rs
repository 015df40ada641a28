//! The names that nodes read and define, including their bodies.

use std::collections::HashSet;

use onnx_model::Node;

/// Every name that a node reads from its graph: its inputs and the outer names of its bodies. Each once,
/// in order of appearance.
pub(crate) fn reads(node: &Node) -> Vec<String> {
    let mut found = Found::default();
    visit(node, &HashSet::new(), &mut found);
    found.names
}

#[derive(Default)]
struct Found {
    names: Vec<String>,
    seen: HashSet<String>,
}

fn visit<'g>(node: &'g Node, inside: &HashSet<&'g str>, found: &mut Found) {
    for name in node.inputs.iter().filter(|name| !name.is_empty()) {
        if !inside.contains(name.as_str()) && found.seen.insert(name.clone()) {
            found.names.push(name.clone());
        }
    }
    for body in node.bodies() {
        let mut inside = inside.clone();
        inside.extend(body.inputs.iter().map(|info| info.name.as_str()));
        inside.extend(body.initializers.iter().map(|(name, _)| name.as_str()));
        for inner in &body.nodes {
            visit(inner, &inside, found);
            inside.extend(inner.outputs.iter().map(String::as_str));
        }
        for output in &body.outputs {
            if !inside.contains(output.name.as_str()) && found.seen.insert(output.name.clone()) {
                found.names.push(output.name.clone());
            }
        }
    }
}

/// The named outputs of a node.
pub(crate) fn defines(node: &Node) -> impl Iterator<Item = &String> {
    node.outputs.iter().filter(|name| !name.is_empty())
}
