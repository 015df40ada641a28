//! Bodies with more than one level, with own constants, with several results, and Scan.

use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, AttributeValue::Ints, Graph, Node};
use onnx_tensor::{DType, Tensor, Value};

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;
use super::control::{info, node};

fn graph(body: Graph) -> AttributeValue {
    AttributeValue::Graph(Arc::new(body))
}

fn attribute(name: &str, value: AttributeValue) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value,
    }
}

/// A loop that ends when its counter reaches a limit; an If in its body chooses by the parity of the
/// counter between branches that read the state, a value outside of both, and a constant of the branch.
pub fn nested(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 3], |wire| wire.len() <= 200)?;
    let w = g.weights(&[], 1)?;
    let limit = g.draws.between(0, 3);
    let limit_wire = g.whole_number(limit);
    let two = g.whole_number(2);
    let zero = g.whole_number(0);
    let state = g.name("s");
    let then = part(g, &x, &w, &state, 0.5)?;
    let otherwise = part(g, &x, &w, &state, -0.25)?;
    let [i, on, rest, odd, next, goes] = ["i", "k", "m", "o", "s", "k"].map(|stem| g.name(stem));
    let choice = Node {
        attributes: vec![
            attribute("then_branch", then),
            attribute("else_branch", otherwise),
        ],
        ..node("If", &[&odd], &next)
    };
    let body = Graph {
        name: g.name("body"),
        inputs: vec![
            info(&i, DType::Int64, &[]),
            info(&on, DType::Bool, &[]),
            info(&state, x.dtype, &x.shape),
        ],
        outputs: vec![info(&goes, DType::Bool, &[]), info(&next, x.dtype, &x.shape)],
        nodes: vec![
            node("Mod", &[&i, &two.name], &rest),
            node("Equal", &[&rest, &zero.name], &odd),
            choice,
            node("Less", &[&i, &limit_wire.name], &goes),
        ],
        ..Graph::default()
    };
    for wire in [&w, &limit_wire, &two, &zero] {
        g.captures(&wire.name);
    }
    let (trips, begins) = (
        g.whole_number(5),
        g.constant(Tensor::scalar(true), Range::multiples(1.0, 1.0)),
    );
    // Without a first condition, the loop ignores that of the body.
    let first = if g.draws.one_in(4) {
        ""
    } else {
        begins.name.as_str()
    };
    let name = g
        .node(
            "Loop",
            &[&trips.name, first, &x.name],
            &[("body", graph(body))],
            1,
        )
        .pop()?;
    let range = Range::rounded(x.range.most + 3.0);
    g.keep(Wire { name, range, ..x });
    Some(())
}

/// A branch of the inner If: the state times a value outside, plus a constant of the branch.
fn part(g: &mut GraphDraft, x: &Wire, w: &Wire, state: &str, number: f64) -> Option<AttributeValue> {
    let constant = g.floats(&[], vec![number])?;
    let [own, scaled, sum] = ["c", "b", "b"].map(|stem| g.name(stem));
    Some(graph(Graph {
        name: g.name("branch"),
        outputs: vec![info(&sum, x.dtype, &x.shape)],
        nodes: vec![
            node("Mul", &[state, &w.name], &scaled),
            node("Add", &[&scaled, &own], &sum),
        ],
        initializers: vec![(own, Value::Tensor(constant))],
        ..Graph::default()
    }))
}

/// Scan over the rows of a value: a state and a result for each row, with a value outside of the body.
pub fn scan(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[3, 4], |wire| {
        (2..=3).contains(&wire.rank()) && wire.len() > 0 && wire.len() < 400
    })?;
    let axis = g.draws.below(x.rank());
    let mut row = x.shape.clone();
    let steps = row.remove(axis);
    let (w, start) = (g.weights(&[], 1)?, g.weights(&row, 1)?);
    let [state, element, product, next, result] = ["s", "r", "p", "s", "o"].map(|stem| g.name(stem));
    let body = Graph {
        name: g.name("body"),
        inputs: vec![info(&state, x.dtype, &row), info(&element, x.dtype, &row)],
        outputs: vec![info(&next, x.dtype, &row), info(&result, x.dtype, &row)],
        nodes: vec![
            node("Mul", &[&state, &w.name], &product),
            node("Add", &[&product, &element], &next),
            node("Neg", &[&next], &result),
        ],
        ..Graph::default()
    };
    g.captures(&w.name);
    let (backward, back_again) = (i64::from(g.draws.one_in(2)), i64::from(g.draws.one_in(2)));
    let out_axis = g.draws.below(row.len() + 1);
    let written = axis as i64 - if g.draws.one_in(2) { x.rank() as i64 } else { 0 };
    let attributes = [
        ("body", graph(body)),
        ("num_scan_inputs", AttributeValue::Int(1)),
        ("scan_input_axes", Ints(vec![written])),
        ("scan_input_directions", Ints(vec![backward])),
        ("scan_output_axes", Ints(vec![out_axis as i64])),
        ("scan_output_directions", Ints(vec![back_again])),
    ];
    let names = g.node("Scan", &[&start.name, &x.name], &attributes, 2);
    let [last, all] = <[String; 2]>::try_from(names).ok()?;
    let range = Range::rounded((x.range.most + start.range.most) * steps as f64);
    g.keep(Wire {
        name: last,
        shape: row.clone(),
        range,
        ..x.clone()
    });
    let mut shape = row;
    shape.insert(out_axis, steps);
    g.keep(Wire {
        name: all,
        shape,
        range,
        ..x
    });
    Some(())
}

/// An If with two results, whose branches give different shapes; the condition is known here and, if it
/// is an input, not to the backend.
pub fn shapes(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 3], |wire| wire.rank() == 2 && wire.len() > 0)?;
    let truth = g.draws.one_in(2);
    let tensor = Tensor::scalar(truth);
    let condition = if g.draws.one_in(2) {
        let wire = g.fed(tensor, Range::multiples(1.0, 1.0));
        g.wires.pop();
        wire
    } else {
        g.constant(tensor, Range::multiples(1.0, 1.0))
    };
    let turned = vec![x.shape[1], x.shape[0]];
    let branch = |g: &mut GraphDraft, operator: &str, shape: &[usize]| {
        let [first, second] = ["b", "b"].map(|stem| g.name(stem));
        graph(Graph {
            name: g.name("branch"),
            outputs: vec![info(&first, x.dtype, shape), info(&second, x.dtype, &x.shape)],
            nodes: vec![
                node(operator, &[&x.name], &first),
                node("Neg", &[&x.name], &second),
            ],
            ..Graph::default()
        })
    };
    let then = branch(g, "Transpose", &turned);
    let otherwise = branch(g, "Relu", &x.shape.clone());
    g.captures(&x.name);
    let attributes = [("then_branch", then), ("else_branch", otherwise)];
    let names = g.node("If", &[&condition.name], &attributes, 2);
    let shapes = [if truth { turned } else { x.shape.clone() }, x.shape.clone()];
    for (name, shape) in names.into_iter().zip(shapes) {
        g.keep(Wire {
            name,
            shape,
            ..x.clone()
        });
    }
    Some(())
}
