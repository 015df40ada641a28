//! The steps of a backend with the nodes that they compute and their cost.

use std::collections::{HashMap, HashSet};

use backend_api::{Profile, Step};
use run_record::profile::{BackendProfile, Cost, ModelNode, ProfiledStep};

use crate::assign::assign;
use crate::cost;
use crate::naming::readable;
use crate::shapes::Shapes;

/// Adds the steps of `profile` to the description of a backend. `outputs` are those of the model.
pub fn measured(
    described: BackendProfile,
    profile: &Profile,
    nodes: &[ModelNode],
    shapes: &Shapes,
    outputs: &HashSet<&str>,
) -> BackendProfile {
    let assigned = assign(nodes, &profile.steps);
    let longest = longest(&assigned, &profile.steps);
    let readers = readers(nodes);
    let runs = profile.nanoseconds.len().max(1) as f64;
    let step = |(number, (step, all)): (usize, (&Step, Vec<usize>))| {
        let calls = step.calls as f64 / runs;
        // The cost of a node that several steps compute counts once, for the longest.
        let own: Vec<usize> = all
            .iter()
            .copied()
            .filter(|node| longest.get(node) == Some(&number))
            .collect();
        let cost = work(&own, nodes, shapes, &readers, outputs).map(|cost| Cost {
            operations: cost.operations * calls,
            bytes: cost.bytes * calls,
        });
        ProfiledStep {
            name: readable(&step.name, nodes),
            operator: step.operator.clone(),
            nodes: all,
            calls,
            own_ns: step
                .median
                .map_or(step.nanoseconds as f64 / runs, |median| median as f64),
            slice: step.slice,
            cost,
        }
    };
    BackendProfile {
        runs_ns: profile.nanoseconds.clone(),
        steps: profile.steps.iter().zip(assigned).enumerate().map(step).collect(),
        omitted: profile.omitted,
        ..described
    }
}

/// The longest step of each node.
fn longest(assigned: &[Vec<usize>], steps: &[Step]) -> HashMap<usize, usize> {
    let mut found = HashMap::new();
    for (number, nodes) in assigned.iter().enumerate() {
        for &node in nodes {
            let best = found.entry(node).or_insert(number);
            if steps[number].nanoseconds > steps[*best].nanoseconds {
                *best = number;
            }
        }
    }
    found
}

/// The nodes that read each value.
fn readers(nodes: &[ModelNode]) -> HashMap<&str, Vec<usize>> {
    let mut readers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        for name in node.inputs.iter().filter(|name| !name.is_empty()) {
            readers.entry(name).or_default().push(at);
        }
    }
    readers
}

/// The operations of all nodes, and the bytes that enter and leave them together.
fn work(
    own: &[usize],
    nodes: &[ModelNode],
    shapes: &Shapes,
    readers: &HashMap<&str, Vec<usize>>,
    outputs: &HashSet<&str>,
) -> Option<Cost> {
    let mut cost = match own {
        [] => return None,
        [single] => return nodes[*single].cost,
        _ => Cost::default(),
    };
    let inside: HashSet<usize> = own.iter().copied().collect();
    let made: HashSet<&str> = own
        .iter()
        .flat_map(|&at| &nodes[at].outputs)
        .map(String::as_str)
        .collect();
    let mut entered = HashSet::new();
    for &at in own {
        let node = &nodes[at];
        cost.operations += node.cost?.operations;
        for name in node.inputs.iter().filter(|name| !name.is_empty()) {
            let outer = !made.contains(name.as_str()) && cost::enters(node, name);
            if outer && entered.insert(name.as_str()) {
                cost.bytes += cost::read(node, name, shapes)?;
            }
        }
        for name in &node.outputs {
            let read = readers.get(name.as_str()).into_iter().flatten();
            let leaves =
                outputs.contains(name.as_str()) || read.into_iter().any(|reader| !inside.contains(reader));
            if leaves {
                cost.bytes += shapes.bytes(name).unwrap_or_default();
            }
        }
    }
    Some(cost)
}
