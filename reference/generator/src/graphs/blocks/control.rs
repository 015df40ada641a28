//! If and Loop, whose bodies read outer values.

use std::sync::Arc;

use onnx_model::{AttributeValue, Graph, Node, ValueInfo};
use onnx_tensor::{DType, Tensor, ValueType};

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;

/// A node of a body.
pub(super) fn node(operator: &str, inputs: &[&str], output: &str) -> Node {
    Node {
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
        outputs: vec![output.to_owned()],
        ..Node::default()
    }
}

/// A declared tensor of a body.
pub(super) fn info(name: &str, dtype: DType, shape: &[usize]) -> ValueInfo {
    let shape = Some(
        shape
            .iter()
            .map(|&extent| onnx_tensor::Dim::Fixed(extent))
            .collect(),
    );
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor { dtype, shape }),
    }
}

/// A branch that computes from outer values.
fn branch(g: &mut GraphDraft, x: &Wire, w: &Wire, operators: &[&str]) -> AttributeValue {
    let mut nodes = Vec::new();
    let mut from = x.name.clone();
    for operator in operators {
        let to = g.name("b");
        let inputs = match *operator {
            "Add" | "Mul" => vec![from.as_str(), w.name.as_str()],
            _ => vec![from.as_str()],
        };
        nodes.push(node(operator, &inputs, &to));
        from = to;
    }
    let outputs = vec![info(&from, x.dtype, &x.shape)];
    AttributeValue::Graph(Arc::new(Graph {
        name: g.name("branch"),
        outputs,
        nodes,
        ..Graph::default()
    }))
}

/// An If with a constant condition or an input as condition.
pub fn condition(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 5], |_| true)?;
    let w = g.weights(&[], 1)?;
    let truth = g.draws.one_in(2);
    let condition = if g.draws.one_in(2) {
        let wire = g.fed(Tensor::scalar(truth), Range::rounded(1.0));
        g.wires.pop();
        wire
    } else {
        g.constant(Tensor::scalar(truth), Range::rounded(1.0))
    };
    let first: &[&str] = if g.draws.one_in(2) {
        &["Add", "Relu"]
    } else {
        &["Identity"]
    };
    let second: &[&str] = if g.draws.one_in(2) {
        &["Mul", "Neg", "Add"]
    } else {
        &["Sigmoid", "Mul"]
    };
    let branches = [branch(g, &x, &w, first), branch(g, &x, &w, second)];
    let [then, otherwise] = branches;
    g.captures(&x.name);
    g.captures(&w.name);
    let range = Range::rounded(x.range.most + 2.0);
    let attributes = [("then_branch", then), ("else_branch", otherwise)];
    let name = g.node("If", &[&condition.name], &attributes, 1).pop()?;
    g.keep(Wire { name, range, ..x });
    Some(())
}

/// state ← f(state, captured), repeated, with each state as scan output.
pub fn iteration(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 4], |wire| wire.len() <= 200)?;
    let w = g.weights(&[], 1)?;
    let trips = g.draws.between(0, 3);
    let (count, state, next, on) = (g.name("i"), g.name("s"), g.name("s"), g.name("k"));
    let (held, inner) = (g.name("k"), g.name("s"));
    let mut nodes = vec![
        node("Mul", &[&state, &w.name], &inner),
        node("Tanh", &[&inner], &next),
        node("Identity", &[&on], &held),
    ];
    let scanned = g.draws.one_in(2).then(|| g.name("o"));
    let mut outputs = vec![info(&held, DType::Bool, &[]), info(&next, x.dtype, &x.shape)];
    if let Some(scanned) = &scanned {
        nodes.push(node("Neg", &[&next], scanned));
        outputs.push(info(scanned, x.dtype, &x.shape));
    }
    let body = Graph {
        name: g.name("body"),
        inputs: vec![
            info(&count, DType::Int64, &[]),
            info(&on, DType::Bool, &[]),
            info(&state, x.dtype, &x.shape),
        ],
        outputs,
        nodes,
        ..Graph::default()
    };
    g.captures(&w.name);
    let trips_wire = if g.draws.one_in(2) {
        let wire = g.fed(Tensor::scalar(trips), Range::multiples(3.0, 1.0));
        g.wires.pop();
        wire
    } else {
        g.whole_number(trips)
    };
    let attributes = [("body", AttributeValue::Graph(Arc::new(body)))];
    let count = 1 + usize::from(scanned.is_some());
    let names = g.node("Loop", &[&trips_wire.name, "", &x.name], &attributes, count);
    let range = Range::rounded(x.range.most.max(1.0));
    g.keep(Wire {
        name: names.first()?.clone(),
        range,
        ..x.clone()
    });
    if let Some(name) = names.get(1) {
        let shape = [&[trips as usize][..], &x.shape].concat();
        g.keep(Wire {
            name: name.clone(),
            shape,
            range: Range::rounded(1.0),
            ..x
        });
    }
    Some(())
}
