//! LSTM, GRU and RNN, with all optional inputs.

use onnx_model::AttributeValue::Int;
use onnx_tensor::{DType, Tensor};

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;
use super::text;

/// A recurrent layer over [length, batch, features], and its outputs reshaped to such rows.
pub fn layer(g: &mut GraphDraft) -> Option<()> {
    let float = g.float;
    (float != DType::Bfloat16 || g.opset >= 22).then_some(())?;
    let x = g.float(&[4, 2, 5], |wire| {
        wire.rank() == 3 && wire.len() > 0 && wire.last() <= 32
    })?;
    let &[length, batch, features] = x.shape.as_slice() else {
        return None;
    };
    let (operator, gates) =
        *g.draws
            .one_of(&[("LSTM", 4), ("LSTM", 4), ("GRU", 3), ("GRU", 3), ("RNN", 1)])?;
    let direction = g.text(&["forward", "forward", "reverse", "bidirectional"]);
    let directions = if direction == "bidirectional" { 2 } else { 1 };
    let hidden = g.one_of(&[1, 3, 4, 8]);
    let w = g.weights(&[directions, gates * hidden, features], features)?;
    let r = g.weights(&[directions, gates * hidden, hidden], hidden)?;
    let bias = if g.draws.one_in(2) {
        Some(g.weights(&[directions, 2 * gates * hidden], 1)?)
    } else {
        None
    };
    let lengths = if g.draws.one_in(3) {
        let lengths: Vec<i32> = (0..batch)
            .map(|_| g.draws.between(1, length as i64) as i32)
            .collect();
        let wire = g.fed(Tensor::vector(lengths), Range::multiples(length as f64, 1.0));
        g.wires.pop();
        Some(wire)
    } else {
        None
    };
    let start = if g.draws.one_in(3) {
        Some(g.feed(&[directions, batch, hidden])?)
    } else {
        None
    };
    let name = |wire: &Option<Wire>| wire.as_ref().map_or(String::new(), |wire| wire.name.clone());
    let mut inputs = vec![
        x.name.clone(),
        w.name,
        r.name,
        name(&bias),
        name(&lengths),
        name(&start),
    ];
    if operator == "LSTM" && g.draws.one_in(3) {
        inputs.push(g.feed(&[directions, batch, hidden])?.name);
        if g.draws.one_in(2) {
            inputs.push(g.weights(&[directions, 3 * hidden], 1)?.name);
        }
    }
    while inputs.last().is_some_and(String::is_empty) {
        inputs.pop();
    }
    let mut attributes = vec![
        ("hidden_size", Int(hidden as i64)),
        ("direction", text(direction)),
    ];
    if operator == "GRU" && g.draws.one_in(2) {
        attributes.push(("linear_before_reset", Int(1)));
    }
    let names: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let outputs = g.node(
        operator,
        &names,
        &attributes,
        if operator == "LSTM" { 3 } else { 2 },
    );
    let y = Wire {
        name: outputs.first()?.clone(),
        dtype: float,
        shape: vec![length, directions, batch, hidden],
        range: Range::rounded(1.0),
    };
    let rows = if directions == 1 {
        let axes = g.list(&[1]);
        g.emit("Squeeze", &[&y, &axes], &[], vec![length, batch, hidden], y.range)
    } else {
        let perm = onnx_model::AttributeValue::Ints(vec![0, 2, 1, 3]);
        let turned = g.emit(
            "Transpose",
            &[&y],
            &[("perm", perm)],
            vec![length, batch, directions, hidden],
            y.range,
        );
        super::movement::reshaped(g, &turned, vec![length, batch, directions * hidden])?
    };
    g.keep(rows);
    Some(())
}
