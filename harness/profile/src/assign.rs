//! Assigns the nodes of a model to the steps of a backend.
//!
//! 1. A node belongs to the steps whose names contain its token, and to those that define one of
//!    its outputs.
//! 2. A step that defines no value of the model may also compute the nodes after it: a node without
//!    a step belongs to such a step if that is the last one that it reads from.
//! 3. Another step also computes the nodes before its results: a node without a step, all of whose
//!    readers belong to the same such step.
//!
//! A node that belongs to no step after that was folded or removed.

use std::collections::{HashMap, HashSet};

use backend_api::Step;
use run_record::profile::ModelNode;

use crate::naming::tokens;

/// The nodes of each step, in the order of the model. A node that several steps compute in parts is
/// in each of them.
pub fn assign(nodes: &[ModelNode], steps: &[Step]) -> Vec<Vec<usize>> {
    let makers = makers(nodes);
    // The steps of each node; the longest first.
    let mut steps_of: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (number, step) in steps.iter().enumerate() {
        let named = tokens(&step.name, nodes.len());
        let defined = step
            .outputs
            .iter()
            .filter_map(|output| makers.get(output.name.as_str()));
        let all: HashSet<usize> = named.into_iter().chain(defined.copied()).collect();
        all.into_iter().for_each(|node| steps_of[node].push(number));
    }
    for list in &mut steps_of {
        list.sort_by_key(|&step| std::cmp::Reverse(steps[step].nanoseconds));
    }
    let defines: Vec<bool> = steps.iter().map(|step| defines(step, &makers)).collect();
    after(nodes, &defines, &makers, &mut steps_of);
    before(nodes, &defines, &makers, &mut steps_of);
    let mut found = vec![Vec::new(); steps.len()];
    for (node, list) in steps_of.iter().enumerate() {
        list.iter().for_each(|&step| found[step].push(node));
    }
    found
}

/// The node that defines each value, outside of functions.
fn makers(nodes: &[ModelNode]) -> HashMap<&str, usize> {
    let graph = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.function.is_empty());
    graph
        .flat_map(|(at, node)| node.outputs.iter().map(move |name| (name.as_str(), at)))
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

/// Whether a step is known to define a value of the model.
fn defines(step: &Step, makers: &HashMap<&str, usize>) -> bool {
    step.outputs
        .iter()
        .any(|output| makers.contains_key(output.name.as_str()))
}

/// Rule 3. The nodes of a file are in topological order, so that readers come later.
fn before(nodes: &[ModelNode], defines: &[bool], makers: &HashMap<&str, usize>, steps_of: &mut [Vec<usize>]) {
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.function.is_empty())
    {
        for name in &node.inputs {
            if let Some(&maker) = makers.get(name.as_str()) {
                readers[maker].push(at);
            }
        }
    }
    for at in (0..nodes.len()).rev().filter(|&at| nodes[at].function.is_empty()) {
        if !steps_of[at].is_empty() {
            continue;
        }
        let mut of_readers = readers[at]
            .iter()
            .map(|&reader| steps_of[reader].first().copied());
        let Some(Some(step)) = of_readers.next() else {
            continue;
        };
        if defines[step] && of_readers.all(|other| other == Some(step)) {
            steps_of[at].push(step);
        }
    }
}

/// Rule 2.
fn after(nodes: &[ModelNode], defines: &[bool], makers: &HashMap<&str, usize>, steps_of: &mut [Vec<usize>]) {
    for at in (0..nodes.len()).filter(|&at| nodes[at].function.is_empty()) {
        if !steps_of[at].is_empty() {
            continue;
        }
        let read = nodes[at]
            .inputs
            .iter()
            .filter_map(|name| makers.get(name.as_str()));
        let last = read.filter_map(|&maker| steps_of[maker].first().copied()).max();
        if let Some(step) = last.filter(|&step| !defines[step]) {
            steps_of[at].push(step);
        }
    }
}
