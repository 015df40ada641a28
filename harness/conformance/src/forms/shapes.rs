//! Forms with symbolic or unknown extents.
//!
//! The main graph must declare the rank of its inputs and outputs, but not their extents (IR.md,
//! Graphs). Types of inner values are optional. The types of a body's inputs and outputs are unchanged:
//! the outputs of a Loop without iterations get their shapes from them.

use std::sync::Arc;

use onnx_model::{Graph, Node, ValueInfo};
use onnx_tensor::{Dim, ValueType};

use super::initializers::with_graph;
use super::{Changed, NotApplicable, Subject};

/// Replaces every fixed extent by a unique name.
pub(super) fn symbolic(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    extents(subject, |name, axis| Dim::Named(format!("{name}_{axis}")))
}

/// Removes every fixed extent.
pub(super) fn unknown(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    extents(subject, |_, _| Dim::Unknown)
}

/// Replaces every fixed extent of inputs and outputs by the result of `other`. Values with an
/// initializer keep their type.
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

/// Visits every declared extent of a type with its axis.
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

/// Removes the declared types of inner values in the main graph and in bodies.
pub(super) fn undeclared(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let mut graph = Graph::clone(&subject.model.graph);
    match forget(&mut graph) {
        0 => Err(NotApplicable::NoInnerType),
        _ => Ok(subject.with(with_graph(subject.model, graph))),
    }
}

/// Removes the declared types of inner values; returns their number.
pub(super) fn forget(graph: &mut Graph) -> usize {
    let here = std::mem::take(&mut graph.value_info).len();
    here + graph.nodes.iter_mut().map(forget_in).sum::<usize>()
}

fn forget_in(node: &mut Node) -> usize {
    node.bodies_mut().map(|body| forget(Arc::make_mut(body))).sum()
}
