//! Selects the place of an edit: a graph among the main one and its bodies, a list of nodes, a name.

use onnx_model::proto::{GraphProto, ModelProto, NodeProto};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// The main graph, or one of the bodies in it.
pub fn graph<'a>(model: &'a mut ModelProto, rng: &mut ChaCha8Rng) -> Option<&'a mut GraphProto> {
    Some(within(model.graph.as_mut()?, rng))
}

fn within<'a>(graph: &'a mut GraphProto, rng: &mut ChaCha8Rng) -> &'a mut GraphProto {
    let bodies = bodies(&graph.node);
    let (Some(&(node, attribute)), true) = (bodies.choose(rng), rng.random_bool(0.6)) else {
        return graph;
    };
    // `bodies` holds only attributes that have a graph.
    match &mut graph.node[node].attribute[attribute].g {
        Some(body) => within(body, rng),
        None => unreachable!("the attribute has a graph"),
    }
}

/// Node and attribute of each body.
pub fn bodies(nodes: &[NodeProto]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (node, proto) in nodes.iter().enumerate() {
        let with_graph = proto
            .attribute
            .iter()
            .enumerate()
            .filter(|(_, attribute)| attribute.g.is_some());
        found.extend(with_graph.map(|(attribute, _)| (node, attribute)));
    }
    found
}

/// The nodes of the main graph, of a body, or of a function.
pub fn nodes<'a>(model: &'a mut ModelProto, rng: &mut ChaCha8Rng) -> Option<&'a mut Vec<NodeProto>> {
    if !model.functions.is_empty() && rng.random_bool(0.3) {
        let at = rng.random_range(0..model.functions.len());
        return Some(&mut model.functions[at].node);
    }
    graph(model, rng).map(|graph| &mut graph.node)
}

/// One node of these.
pub fn node<'a>(model: &'a mut ModelProto, rng: &mut ChaCha8Rng) -> Option<&'a mut NodeProto> {
    let nodes = nodes(model, rng)?;
    let at = (!nodes.is_empty()).then(|| rng.random_range(0..nodes.len()))?;
    nodes.get_mut(at)
}

/// The names that the nodes of a graph can read.
pub fn names(graph: &GraphProto) -> Vec<Vec<u8>> {
    let inputs = graph.input.iter().filter_map(|info| info.name.clone());
    let constants = graph.initializer.iter().filter_map(|tensor| tensor.name.clone());
    let inner = graph.node.iter().flat_map(|node| node.output.iter().cloned());
    let mut names: Vec<_> = inputs
        .chain(constants)
        .chain(inner)
        .filter(|name| !name.is_empty())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// A name that does not occur in the graph.
pub fn fresh(graph: &GraphProto, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let names = names(graph);
    loop {
        let name = format!("v{}", rng.random::<u32>()).into_bytes();
        if !names.contains(&name) {
            return name;
        }
    }
}
