//! Sequences and optionals: built, changed, read, and joined to tensors.

use std::sync::Arc;

use onnx_model::{AttributeValue, AttributeValue::Int, Graph, ValueInfo};
use onnx_tensor::{DType, Tensor, ValueType};

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;
use super::control::{info, node};

/// A value with two axes or more, and few elements.
fn matrix(g: &mut GraphDraft) -> Option<Wire> {
    // The operators of sequences accept bfloat16 in no version.
    (g.float != DType::Bfloat16).then_some(())?;
    g.float(&[4, 3], |wire| {
        wire.rank() >= 2 && wire.len() > 0 && wire.len() < 600
    })
}

/// A position, sometimes counted from the end.
fn position(g: &mut GraphDraft, at: usize, count: usize) -> Wire {
    let at = at as i64 - if g.draws.one_in(2) { count as i64 } else { 0 };
    if g.draws.one_in(3) {
        let wire = g.fed(Tensor::scalar(at), Range::multiples(9.0, 1.0));
        g.wires.pop();
        return wire;
    }
    g.whole_number(at)
}

/// Rows split to a sequence, one of them changed or moved, and joined again.
pub fn split(g: &mut GraphDraft) -> Option<()> {
    let x = matrix(g)?;
    let axis = g.draws.below(2);
    let extent = x.shape[axis];
    let mut part = x.shape.clone();
    part[axis] = 1;
    let one = g.whole_number(1);
    let parts = g
        .node(
            "SplitToSequence",
            &[&x.name, &one.name],
            &[("axis", Int(axis as i64))],
            1,
        )
        .pop()?;
    let (at, place) = (g.draws.below(extent), g.draws.below(extent));
    let from = position(g, at, extent);
    let taken = g.node("SequenceAt", &[&parts, &from.name], &[], 1).pop()?;
    let taken = Wire {
        name: taken,
        shape: part,
        ..x.clone()
    };
    let changed = super::elementwise::activated(g, &taken)?;
    (changed.shape == taken.shape).then_some(())?;
    let place = position(g, place, extent);
    let mut list = g
        .node("SequenceInsert", &[&parts, &changed.name, &place.name], &[], 1)
        .pop()?;
    let mut count = extent + 1;
    if g.draws.one_in(2) {
        let at = g.draws.below(count);
        let gone = position(g, at, count);
        list = g.node("SequenceErase", &[&list, &gone.name], &[], 1).pop()?;
        count -= 1;
    }
    let mut shape = x.shape.clone();
    shape[axis] = count;
    joined(g, &list, axis, false, shape, x.range.or(changed.range))?;
    length(g, &parts)
}

/// A sequence as one tensor, along an axis or a new one.
fn joined(
    g: &mut GraphDraft,
    list: &str,
    axis: usize,
    new: bool,
    shape: Vec<usize>,
    range: Range,
) -> Option<()> {
    let axis = axis as i64 - if g.draws.one_in(2) { shape.len() as i64 } else { 0 };
    let attributes = [("axis", Int(axis)), ("new_axis", Int(i64::from(new)))];
    let name = g.node("ConcatFromSequence", &[list], &attributes, 1).pop()?;
    let dtype = g.float;
    g.keep(Wire {
        name,
        dtype,
        shape,
        range,
    });
    Some(())
}

/// The length of a sequence, sometimes.
fn length(g: &mut GraphDraft, list: &str) -> Option<()> {
    if g.draws.one_in(2) {
        let name = g.node("SequenceLength", &[list], &[], 1).pop()?;
        g.keep(Wire {
            name,
            dtype: DType::Int64,
            shape: vec![],
            range: Range::multiples(64.0, 1.0),
        });
    }
    Some(())
}

/// A sequence of values of one shape, stacked along a new axis, or one of them.
pub fn stack(g: &mut GraphDraft) -> Option<()> {
    let x = matrix(g)?;
    let count = g.extent(1, 3);
    let others: Option<Vec<Wire>> = (1..count).map(|_| g.weights(&x.shape, 1)).collect();
    let all: Vec<Wire> = [x.clone()].into_iter().chain(others?).collect();
    let names: Vec<&str> = all.iter().map(|wire| wire.name.as_str()).collect();
    let list = if g.draws.one_in(2) {
        g.node("SequenceConstruct", &names, &[], 1).pop()?
    } else {
        let dtype = [("dtype", Int(i64::from(g.float.to_onnx())))];
        let mut list = g.node("SequenceEmpty", &[], &dtype, 1).pop()?;
        for name in names {
            list = g.node("SequenceInsert", &[&list, name], &[], 1).pop()?;
        }
        list
    };
    let range = all.iter().fold(x.range, |range, wire| range.or(wire.range));
    let axis = g.draws.below(x.rank() + 1);
    let mut shape = x.shape.clone();
    shape.insert(axis, count);
    joined(g, &list, axis, true, shape, range)?;
    length(g, &list)
}

/// A loop that inserts each of its states into a sequence, which is then joined.
pub fn collected(g: &mut GraphDraft) -> Option<()> {
    let x = matrix(g)?;
    let w = g.weights(&[x.last()], 1)?;
    let trips = g.extent(1, 3);
    let of = ValueType::Tensor {
        dtype: x.dtype,
        shape: None,
    };
    let list_type = ValueType::Sequence(Box::new(of));
    let start = g.node("SequenceConstruct", &[&x.name], &[], 1).pop()?;
    let [i, on, state, list, held, next, longer] =
        ["i", "k", "s", "q", "k", "s", "q"].map(|stem| g.name(stem));
    let list_info = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(list_type.clone()),
    };
    let inner = g.name("s");
    let body = Graph {
        name: g.name("body"),
        inputs: vec![
            info(&i, DType::Int64, &[]),
            info(&on, DType::Bool, &[]),
            info(&state, x.dtype, &x.shape),
            list_info(&list),
        ],
        outputs: vec![
            info(&held, DType::Bool, &[]),
            info(&next, x.dtype, &x.shape),
            list_info(&longer),
        ],
        nodes: vec![
            node("Identity", &[&on], &held),
            node("Mul", &[&state, &w.name], &inner),
            node("Tanh", &[&inner], &next),
            node("SequenceInsert", &[&list, &next], &longer),
        ],
        ..Graph::default()
    };
    g.captures(&w.name);
    let count = g.whole_number(trips as i64);
    let attributes = [("body", AttributeValue::Graph(Arc::new(body)))];
    let names = g.node("Loop", &[&count.name, "", &x.name, &start], &attributes, 2);
    let mut shape = x.shape.clone();
    shape[0] *= trips + 1;
    let range = Range::rounded(x.range.most.max(1.0));
    joined(g, names.get(1)?, 0, false, shape, range)
}

/// SequenceMap over the rows of a value.
pub fn mapped(g: &mut GraphDraft) -> Option<()> {
    (g.opset >= 17).then_some(())?;
    let x = matrix(g)?;
    let w = g.weights(&[x.last()], 1)?;
    let one = g.whole_number(1);
    let parts = g.node("SplitToSequence", &[&x.name, &one.name], &[], 1).pop()?;
    let mut part = x.shape.clone();
    part[0] = 1;
    let [row, factor, result] = ["r", "f", "p"].map(|stem| g.name(stem));
    let body = Graph {
        name: g.name("body"),
        inputs: vec![info(&row, x.dtype, &part), info(&factor, x.dtype, &w.shape)],
        outputs: vec![info(&result, x.dtype, &part)],
        nodes: vec![node("Mul", &[&row, &factor], &result)],
        ..Graph::default()
    };
    let attributes = [("body", AttributeValue::Graph(Arc::new(body)))];
    let list = g.node("SequenceMap", &[&parts, &w.name], &attributes, 1).pop()?;
    let range = x.range.dot(w.range, 1).held_by(x.dtype);
    joined(g, &list, 0, false, x.shape, range)
}

/// An optional whose presence is the condition of an If that reads it.
pub fn optional(g: &mut GraphDraft) -> Option<()> {
    (g.opset >= 15).then_some(())?;
    let x = matrix(g)?;
    let w = g.weights(&[], 1)?;
    let held = g.node("Optional", &[&x.name], &[], 1).pop()?;
    let present = g.node("OptionalHasElement", &[&held], &[], 1).pop()?;
    let branch = |g: &mut GraphDraft, operator: &str, inputs: &[&str]| {
        let [from, to] = ["b", "b"].map(|stem| g.name(stem));
        AttributeValue::Graph(Arc::new(Graph {
            name: g.name("branch"),
            outputs: vec![info(&to, x.dtype, &x.shape)],
            nodes: vec![node(operator, inputs, &from), node("Mul", &[&from, &w.name], &to)],
            ..Graph::default()
        }))
    };
    let then = branch(g, "OptionalGetElement", &[&held]);
    let otherwise = branch(g, "Neg", &[&x.name]);
    for name in [&held, &x.name, &w.name] {
        g.captures(name);
    }
    let attributes = [("then_branch", then), ("else_branch", otherwise)];
    let name = g.node("If", &[&present], &attributes, 1).pop()?;
    let range = x.range.dot(w.range, 1).held_by(x.dtype);
    g.keep(Wire { name, range, ..x });
    Some(())
}
