//! Names in a model: defined names, new names, renaming.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onnx_model::{Graph, Model, Node};

use super::NotApplicable;

/// The names that the nodes define.
pub(super) fn defined(nodes: &[Node]) -> Vec<&str> {
    let outputs = nodes.iter().flat_map(|node| &node.outputs);
    outputs
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect()
}

/// Every name that the nodes and their inner graphs use or define.
pub(super) fn used(nodes: &[Node]) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut all = nodes.to_vec();
    rename(&mut all, &mut |name| {
        names.insert(name.clone());
    });
    names
}

/// A name that does not occur in the model and starts with `wanted`.
pub(super) fn fresh(model: &Model, wanted: &str) -> String {
    let graph = &model.graph;
    let mut taken = used(&graph.nodes);
    let infos = graph.inputs.iter().chain(&graph.outputs).chain(&graph.value_info);
    taken.extend(infos.map(|info| info.name.clone()));
    taken.extend(graph.initializers.iter().map(|(name, _)| name.clone()));
    let mut name = wanted.to_owned();
    while taken.contains(&name) {
        name.push('_');
    }
    name
}

/// Fails if a node refers to values of the graph in an attribute, as Gradient does: they cannot be
/// renamed.
pub(super) fn can_change(model: &Model) -> Result<(), NotApplicable> {
    let refers = |node: &Node| node.operator == "Gradient" && node.domain == "ai.onnx.preview.training";
    if model.graph.nodes.iter().any(refers) {
        Err(NotApplicable::NamesInAttributes)
    } else {
        Ok(())
    }
}

/// Renames values in the nodes and their inner graphs according to `names`.
pub(super) fn replace(nodes: &mut [Node], names: &HashMap<String, String>) {
    rename(nodes, &mut |name| {
        if let Some(other) = names.get(name) {
            name.clone_from(other);
        }
    });
}

/// Visits every name in the nodes and their inner graphs, except empty names.
fn rename(nodes: &mut [Node], act: &mut dyn FnMut(&mut String)) {
    for node in nodes {
        let names = node.inputs.iter_mut().chain(&mut node.outputs);
        names.filter(|name| !name.is_empty()).for_each(&mut *act);
        node.bodies_mut().for_each(|body| rename_graph(body, act));
    }
}

fn rename_graph(graph: &mut Arc<Graph>, act: &mut dyn FnMut(&mut String)) {
    let graph = Arc::make_mut(graph);
    let infos = graph
        .inputs
        .iter_mut()
        .chain(&mut graph.outputs)
        .chain(&mut graph.value_info);
    infos.for_each(|info| act(&mut info.name));
    graph.initializers.iter_mut().for_each(|(name, _)| act(name));
    rename(&mut graph.nodes, act);
}
