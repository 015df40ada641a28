//! Edits of nodes: removal, duplication, rewiring, other operators.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Subject, place};
use crate::extreme;

/// Removes a node.
pub fn remove(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(nodes) = place::nodes(&mut subject.model, rng).filter(|nodes| !nodes.is_empty()) else {
        return false;
    };
    let at = rng.random_range(0..nodes.len());
    nodes.remove(at);
    true
}

/// Duplicates a node with new names, mostly between the node and its readers.
pub fn duplicate(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = place::graph(&mut subject.model, rng).filter(|graph| !graph.node.is_empty()) else {
        return false;
    };
    let at = rng.random_range(0..graph.node.len());
    let mut copy = graph.node[at].clone();
    if rng.random_bool(0.9) {
        // The original gets the new names, and the copy reads the first of them: a chain of two.
        for output in &mut graph.node[at].output {
            output.extend_from_slice(b"_0");
        }
        if let (Some(input), Some(output)) = (copy.input.first_mut(), graph.node[at].output.first()) {
            input.clone_from(output);
        }
    }
    graph.node.insert(at + 1, copy);
    true
}

/// Makes a node read another value, or none.
pub fn input(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = place::graph(&mut subject.model, rng).filter(|graph| !graph.node.is_empty()) else {
        return false;
    };
    let names = place::names(graph);
    let at = rng.random_range(0..graph.node.len());
    let inputs = &mut graph.node[at].input;
    let name = names.choose(rng).cloned().unwrap_or_default();
    match rng.random_range(0..5) {
        0 => inputs.push(name),
        1 => drop(inputs.pop()),
        _ if inputs.is_empty() => inputs.push(name),
        kind => {
            let at = rng.random_range(0..inputs.len());
            inputs[at] = if kind == 2 { Vec::new() } else { name };
        }
    }
    true
}

/// Adds or removes an output, or removes its name.
pub fn output(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = place::graph(&mut subject.model, rng).filter(|graph| !graph.node.is_empty()) else {
        return false;
    };
    let fresh = place::fresh(graph, rng);
    let at = rng.random_range(0..graph.node.len());
    let outputs = &mut graph.node[at].output;
    match rng.random_range(0..4) {
        0 => drop(outputs.pop()),
        1 if !outputs.is_empty() => {
            let at = rng.random_range(0..outputs.len());
            outputs[at] = Vec::new();
        }
        _ => outputs.push(fresh),
    }
    true
}

/// Replaces the operator, with the same inputs and outputs: mostly by one with as many inputs.
pub fn operator(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(node) = place::node(&mut subject.model, rng) else {
        return false;
    };
    if rng.random_bool(0.1) {
        node.op_type = Some(extreme::string(rng));
        return true;
    }
    let count = node.input.len();
    let fits = |operator: &&onnx_schema::Operator| {
        operator
            .versions
            .iter()
            .any(|schema| schema.min_inputs <= count && count <= schema.max_inputs)
    };
    let fitting: Vec<_> = onnx_schema::operators().iter().filter(fits).collect();
    let Some(operator) = fitting.choose(rng) else {
        return false;
    };
    node.op_type = Some(operator.name.as_bytes().to_vec());
    node.domain = (!operator.domain.is_empty()).then(|| operator.domain.as_bytes().to_vec());
    true
}
