//! Forms without some outputs.
//!
//! An unused optional output has an empty name, or is missing at the end of the list; a value that a
//! node computes need not be a graph output (IR.md, Nodes).

use onnx_model::Graph;
use onnx_schema::FormalOption;

use super::initializers::with_graph;
use super::{Changed, NotApplicable, Subject, names};

/// Removes an optional output of a node.
pub(super) fn without(subject: &Subject<'_>, number: usize) -> Result<Changed, NotApplicable> {
    let (mut graph, name) = unlist(subject, number)?;
    let imports = &subject.model.opset_imports;
    let node = graph.nodes.iter_mut().find(|node| node.outputs.contains(&name));
    let node = node.ok_or(NotApplicable::OutputIsNoNode)?;
    let position = node.outputs.iter().position(|output| *output == name);
    let schema = onnx_schema::resolve(imports, &node.domain, &node.operator).ok();
    let formal = schema
        .zip(position)
        .and_then(|(schema, position)| schema.output(position));
    if formal.is_none_or(|formal| formal.option != FormalOption::Optional) {
        return Err(NotApplicable::OutputIsRequired);
    }
    if let Some(output) = position.and_then(|position| node.outputs.get_mut(position)) {
        output.clear();
    }
    while node.outputs.last().is_some_and(String::is_empty) {
        node.outputs.pop();
    }
    // A node without any output is invalid.
    if node.outputs.is_empty() || names::used(&graph.nodes).contains(&name) {
        return Err(NotApplicable::OutputIsRead);
    }
    Ok(reduced(subject, graph, &name))
}

/// Removes an output from the graph; the node still computes it.
pub(super) fn unlisted(subject: &Subject<'_>, number: usize) -> Result<Changed, NotApplicable> {
    let (graph, name) = unlist(subject, number)?;
    Ok(reduced(subject, graph, &name))
}

/// Removes the graph output with this number; returns its name.
fn unlist(subject: &Subject<'_>, number: usize) -> Result<(Graph, String), NotApplicable> {
    let mut graph = Graph::clone(&subject.model.graph);
    if graph.outputs.len() < 2 || number >= graph.outputs.len() {
        return Err(NotApplicable::OneOutput);
    }
    let name = graph.outputs.remove(number).name;
    if graph.outputs.iter().any(|output| output.name == name) {
        Err(NotApplicable::OutputIsRead)
    } else {
        Ok((graph, name))
    }
}

/// Removes the output from the expected values.
fn reduced(subject: &Subject<'_>, graph: Graph, name: &str) -> Changed {
    let mut changed = subject.with(with_graph(subject.model, graph));
    for set in &mut changed.sets {
        set.expected.retain(|(output, _)| output != name);
    }
    changed
}
