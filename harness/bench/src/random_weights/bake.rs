//! Replaces fills by initializers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onnx_model::{Graph, Model};
use onnx_tensor::{Tensor, Value};

use super::parameters::fill;

/// The first IR version in which an initializer that is not an input is a constant.
const CONSTANT_INITIALIZERS: i64 = 4;

/// Adds `values` as initializers and removes the nodes and shapes that filled them.
pub(super) fn bake(model: Model, values: Vec<(String, Tensor)>) -> Model {
    let mut graph = Arc::unwrap_or_clone(model.graph);
    let mut values: HashMap<String, Tensor> = values.into_iter().collect();
    let filled: HashSet<String> = graph
        .nodes
        .iter()
        .filter_map(|node| fill(&graph, node))
        .map(|(output, _)| output.to_owned())
        .collect();
    graph.nodes.retain(|node| {
        !node
            .outputs
            .iter()
            .any(|output| filled.contains(output) && values.contains_key(output))
    });
    for (name, value) in &mut graph.initializers {
        if let Some(tensor) = values.remove(name) {
            *value = Value::Tensor(tensor);
        }
    }
    let mut rest: Vec<(String, Tensor)> = values.into_iter().collect();
    // A map has no defined order, but the file must be deterministic.
    rest.sort_by(|a, b| a.0.cmp(&b.0));
    graph.initializers.extend(
        rest.into_iter()
            .map(|(name, tensor)| (name, Value::Tensor(tensor))),
    );
    drop_unused(&mut graph);
    Model {
        graph: Arc::new(graph),
        ir_version: model.ir_version.max(CONSTANT_INITIALIZERS),
        ..model
    }
}

/// Removes initializers that nothing reads, such as the shapes of fills, and makes the others constants.
fn drop_unused(graph: &mut Graph) {
    let initialized: HashSet<String> = graph.initializers.iter().map(|(name, _)| name.clone()).collect();
    graph.inputs.retain(|input| !initialized.contains(&input.name));
    let bodies = graph.nodes.iter().any(|node| node.bodies().next().is_some());
    // A body may read any name of the outer graph.
    if !bodies {
        let read: HashSet<&str> = graph
            .nodes
            .iter()
            .flat_map(|node| &node.inputs)
            .map(String::as_str)
            .collect();
        let outputs: HashSet<&str> = graph.outputs.iter().map(|output| output.name.as_str()).collect();
        graph
            .initializers
            .retain(|(name, _)| read.contains(name.as_str()) || outputs.contains(name.as_str()));
    }
}
