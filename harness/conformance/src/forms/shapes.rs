//! Extents that are symbolic or unknown.
//!
//! The main graph must say the rank of its inputs and outputs, and need not say their extents (IR.md, Graphs). Types of inner
//! values may be left out. The types of a body's inputs and outputs stay: a Loop of no iteration takes the shape of its outputs
//! from there.

use std::sync::Arc;

use onnx_model::{Graph, Node, ValueInfo};
use onnx_tensor::{Dim, ValueType};

use super::initializers::with_graph;
use super::{Changed, NotApplicable, Subject};

/// Every fixed extent gets a name of its own.
pub(super) fn symbolic(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    extents(subject, |name, axis| Dim::Named(format!("{name}_{axis}")))
}

/// No fixed extent stays.
pub(super) fn unknown(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    extents(subject, |_, _| Dim::Unknown)
}

/// Gives every fixed extent of inputs and outputs the one that `other` says. What has an initializer keeps its type.
fn extents(subject: &Subject<'_>, other: impl Fn(&str, usize) -> Dim) -> Result<Changed, NotApplicable> {
    let mut graph = Graph::clone(&subject.model.graph);
    let fixed: Vec<String> = graph.initializers.iter().map(|(name, _)| name.clone()).collect();
    let mut count = 0;
    for info in graph.inputs.iter_mut().chain(&mut graph.outputs) {
        if fixed.contains(&info.name) {
            continue;
        }
        let ValueInfo { name, value_type } = info;
        if let Some(value_type) = value_type {
            visit(value_type, &mut |axis, dim| {
                if matches!(dim, Dim::Fixed(_)) {
                    *dim = other(name, axis);
                    count += 1;
                }
            });
        }
    }
    match count {
        0 => Err(NotApplicable::NoFixedExtent),
        _ => Ok(subject.with(with_graph(subject.model, graph))),
    }
}

/// Shows every declared extent of a type, with its axis.
fn visit(value_type: &mut ValueType, act: &mut dyn FnMut(usize, &mut Dim)) {
    match value_type {
        ValueType::Tensor { shape, .. } | ValueType::Sparse { shape, .. } => {
            let dims = shape.iter_mut().flatten();
            dims.enumerate().for_each(|(axis, dim)| act(axis, dim));
        }
        ValueType::Sequence(inner) | ValueType::Optional(inner) => visit(inner, act),
        ValueType::Map { value, .. } => visit(value, act),
    }
}

/// No type of an inner value is declared, in the main graph and in bodies.
pub(super) fn undeclared(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let mut graph = Graph::clone(&subject.model.graph);
    match forget(&mut graph) {
        0 => Err(NotApplicable::NoInnerType),
        _ => Ok(subject.with(with_graph(subject.model, graph))),
    }
}

/// Removes the declared types of inner values; gives how many there were.
fn forget(graph: &mut Graph) -> usize {
    let here = std::mem::take(&mut graph.value_info).len();
    here + graph.nodes.iter_mut().map(forget_in).sum::<usize>()
}

fn forget_in(node: &mut Node) -> usize {
    node.bodies_mut().map(|body| forget(Arc::make_mut(body))).sum()
}
