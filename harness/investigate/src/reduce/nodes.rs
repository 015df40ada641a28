//! Removes nodes.

use std::collections::HashSet;

use super::trials::Trials;
use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values, bare};
use crate::form::Form;
use crate::graphs::defines;
use crate::locate::known;
use crate::trial::request;

/// The maximum size of stored inner values in bytes; above it, nodes are removed only from the end of
/// the model.
const KEPT: usize = 1 << 30;

/// The number of nodes whose values the reference computes in one request.
const AT_ONCE: usize = 64;

/// The model without the nodes that the failure does not need; `None` if it needs all. The nodes named
/// `always` stay.
pub(super) fn reduce(
    prepared: &Prepared,
    always: &[String],
    trials: &mut Trials<'_>,
) -> Result<Option<Part>, InvestigateError> {
    match values(prepared, trials)? {
        Some(values) => minimal(prepared, &values, always, trials),
        None => shortest(prepared, trials),
    }
}

/// All inner values; `None` if the reference does not give them, or if they need too much memory.
fn values(prepared: &Prepared, trials: &mut Trials<'_>) -> Result<Option<Values>, InvestigateError> {
    if !trials.has_reference() {
        return Ok(None);
    }
    let (mut values, mut bytes) = (Values::new(), 0);
    let all: Vec<usize> = (0..prepared.len()).collect();
    for nodes in all.chunks(AT_ONCE) {
        let wanted: Vec<String> = nodes.iter().flat_map(|index| prepared.wanted(*index)).collect();
        let part = prepared.cut(nodes, &wanted, &known(&prepared.inputs, &values));
        let (reference, _) = trials.backends();
        let Ok(outputs) = reference.run(&request(&bare(&part)))? else {
            return Ok(None);
        };
        bytes += outputs
            .values
            .iter()
            .map(|(_, value)| value.memory())
            .sum::<usize>();
        if bytes > KEPT {
            return Ok(None);
        }
        values.extend(outputs.values);
    }
    Ok(Some(values))
}

/// The shortest prefix of the model that fails, found by bisection.
fn shortest(prepared: &Prepared, trials: &mut Trials<'_>) -> Result<Option<Part>, InvestigateError> {
    let (mut low, mut high, mut best) = (0, prepared.len(), None);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let live = prepared.live(middle);
        let nodes: Vec<usize> = (0..middle).collect();
        let nothing = Values::new();
        let part = prepared.cut_as(trials.form(), &nodes, &live, &known(&prepared.inputs, &nothing));
        if !live.is_empty() && trials.fails(&part)? {
            (high, best) = (middle, Some(part))
        } else {
            low = middle
        }
    }
    Ok(best)
}

/// Delta debugging: a set of nodes of which none can be removed.
fn minimal(
    prepared: &Prepared,
    values: &Values,
    always: &[String],
    trials: &mut Trials<'_>,
) -> Result<Option<Part>, InvestigateError> {
    let form = trials.form();
    let stays: Vec<usize> = (0..prepared.len())
        .filter(|index| {
            prepared
                .node(*index)
                .is_some_and(|node| always.iter().any(|name| name == node.label()))
        })
        .collect();
    let mut kept: Vec<usize> = (0..prepared.len()).collect();
    let mut best = None;
    let mut parts = 2;
    while kept.len() > 1 {
        let size = kept.len().div_ceil(parts);
        let mut smaller = None;
        let chunks: Vec<Vec<usize>> = kept.chunks(size).map(<[usize]>::to_vec).collect();
        let complements = chunks.iter().map(|chunk| {
            let gone: HashSet<&usize> = chunk.iter().collect();
            kept.iter()
                .filter(|index| !gone.contains(index))
                .copied()
                .collect::<Vec<usize>>()
        });
        let candidates = chunks
            .iter()
            .cloned()
            .map(|chunk| (chunk, 2))
            .chain(complements.map(|rest| (rest, parts - 1)))
            .filter(|(nodes, _)| !nodes.is_empty() && nodes.len() < kept.len())
            .filter(|(nodes, _)| stays.iter().all(|index| nodes.contains(index)))
            .map(|(nodes, of_parts)| {
                let part = subset(prepared, &nodes, values, form);
                ((nodes, of_parts), part)
            });
        if let Some(((nodes, of_parts), part)) = trials.first(candidates)? {
            smaller = Some((nodes, of_parts.max(2)));
            best = Some(part);
        }
        match smaller {
            Some((nodes, of_parts)) => (kept, parts) = (nodes, of_parts),
            None if size == 1 => break,
            None => parts = (parts * 2).min(kept.len()),
        }
    }
    Ok(best)
}

/// The model of some nodes. Its outputs are the graph outputs and the values that none of the nodes
/// reads.
fn subset(prepared: &Prepared, nodes: &[usize], values: &Values, form: Form) -> Part {
    let read: HashSet<&String> = nodes.iter().flat_map(|index| prepared.reads(*index)).collect();
    let graph: HashSet<&String> = prepared
        .model
        .graph
        .outputs
        .iter()
        .map(|info| &info.name)
        .collect();
    let given = nodes
        .iter()
        .filter_map(|index| prepared.node(*index))
        .flat_map(defines);
    let known_values = |name: &&String| values.contains_key(*name);
    let outputs = given
        .filter(|name| !read.contains(name) || graph.contains(name))
        .filter(known_values);
    let outputs: Vec<String> = outputs.cloned().collect();
    prepared.cut_as(form, nodes, &outputs, &known(&prepared.inputs, values))
}
