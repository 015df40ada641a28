//! Operators that access more than their inputs: bodies of Loop, Scan, If and SequenceMap, and the graph
//! that contains a Gradient. Expected values are worked out by hand.

use std::sync::Arc;

use crate::build::{graph, model, node};

use onnx_interpreter::{Limits, run};
use onnx_model::{AttributeValue, Graph, Node};
use onnx_tensor::{DType, Dim, Sequence, Tensor, Value, ValueType};

/// Declares a tensor type for an input or output of a body.
fn declare(body: Graph, name: &str, dtype: DType, shape: &[Dim]) -> Graph {
    declare_as(body, name, dtype, Some(shape))
}

/// Like [`declare`], with an optional shape.
fn declare_as(mut body: Graph, name: &str, dtype: DType, shape: Option<&[Dim]>) -> Graph {
    let value_type = ValueType::Tensor {
        dtype,
        shape: shape.map(<[Dim]>::to_vec),
    };
    for info in body
        .inputs
        .iter_mut()
        .chain(&mut body.outputs)
        .filter(|info| info.name == name)
    {
        info.value_type = Some(value_type.clone());
    }
    body
}

fn body(body: Graph) -> AttributeValue {
    AttributeValue::Graph(Arc::new(body))
}

/// Runs nodes at an opset on inputs. Returns the outputs, or the error message.
fn outputs(opset: i64, main: Graph, inputs: &[(&str, Value)]) -> Result<Vec<Value>, String> {
    let model = model(opset, main);
    let inputs: Vec<_> = inputs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let limits = Limits {
        steps: 100,
        ..Limits::default()
    };
    let outputs = run(&model, &inputs, limits).map_err(|error| error.to_string())?;
    Ok(outputs.into_iter().map(|(_, value)| value).collect())
}

/// Compares outputs with tensors bit for bit, or the error message with a part of it.
#[track_caller]
fn check(opset: i64, main: Graph, inputs: &[(&str, Value)], expected: Result<&[Tensor], &str>) {
    let found = outputs(opset, main, inputs);
    let same = match (&found, expected) {
        (Ok(found), Ok(expected)) => {
            let pair = |(found, expected): (&Value, &Tensor)| matches!(found, Value::Tensor(found) if found.same_bits(expected));
            found.len() == expected.len() && found.iter().zip(expected).all(pair)
        }
        (Err(message), Err(part)) => message.contains(part),
        _ => false,
    };
    assert!(same, "got {found:?}\n expected {expected:?}");
}

fn vector(values: &[f32]) -> Tensor {
    Tensor::vector(values.to_vec())
}

/// Doubles `s`, returns it also as scan output, and ends at once if its condition is used.
fn doubling() -> Graph {
    let nodes = [
        node("Add", "s s", "t", &[]),
        node("Identity", "t", "o", &[]),
        node("Not", "c", "d", &[]),
    ];
    graph("i c s", "d t o", &nodes)
}

fn looped(inputs: &str, inner: Graph) -> Graph {
    graph(
        "m c s",
        "y z",
        &[node("Loop", inputs, "y z", &[("body", body(inner))])],
    )
}

#[test]
fn loops_end_by_count_by_condition_or_by_budget() {
    let rows = |values: &[f32]| Tensor::new(&[values.len(), 1], values.to_vec()).expect("one column");
    let inputs = |count: i64, go: bool| {
        let value = |tensor: Tensor| Value::from(tensor);
        [
            ("m", value(Tensor::scalar(count))),
            ("c", value(Tensor::scalar(go))),
            ("s", value(vector(&[1.0]))),
        ]
    };
    for opset in [10, 11, 13, 16, 19, 21, 23, 24, 25] {
        let by_count = [vector(&[8.0]), rows(&[2.0, 4.0, 8.0])];
        check(
            opset,
            looped("m - s", doubling()),
            &inputs(3, true),
            Ok(&by_count),
        );
        let by_condition = [vector(&[2.0]), rows(&[2.0])];
        check(
            opset,
            looped("m c s", doubling()),
            &inputs(3, true),
            Ok(&by_condition),
        );
        check(
            opset,
            looped("- - s", doubling()),
            &inputs(3, true),
            Err("more than 100 steps"),
        );
    }
}

#[test]
fn a_loop_without_iterations_has_the_declared_outputs() {
    let inputs = [
        ("m", Tensor::scalar(0_i64).into()),
        ("c", Tensor::scalar(true).into()),
        ("s", vector(&[1.0, 2.0]).into()),
    ];
    let named = [Dim::Named("n".to_owned())];
    let bound = declare(
        declare(doubling(), "s", DType::Float, &named),
        "o",
        DType::Float,
        &named,
    );
    let empty = Tensor::new(&[0, 2], Vec::<f32>::new()).expect("no elements");
    check(
        13,
        looped("m c s", bound),
        &inputs,
        Ok(&[vector(&[1.0, 2.0]), empty]),
    );
    // Undeclared extents are as in ONNX Runtime.
    for (shape, extents) in [(Some(&named[..]), vec![0, 0]), (None, vec![0])] {
        let unbound = declare_as(doubling(), "o", DType::Float, shape);
        let empty = Tensor::new(&extents, Vec::<f32>::new()).expect("no elements");
        check(
            13,
            looped("m c s", unbound),
            &inputs,
            Ok(&[vector(&[1.0, 2.0]), empty]),
        );
    }
    check(
        13,
        looped("m c s", doubling()),
        &inputs,
        Err("its type is not declared"),
    );
    let wrong = declare(doubling(), "s", DType::Double, &named);
    let once = [
        ("m", Tensor::scalar(1_i64).into()),
        inputs[1].clone(),
        inputs[2].clone(),
    ];
    check(
        13,
        looped("m c s", wrong),
        &once,
        Err("is declared as tensor(double)"),
    );
}

/// Cumulative sums, each sequence from its own last position.
#[test]
fn scan_8_handles_shorter_sequences() {
    let sum = graph(
        "s x",
        "t o",
        &[node("Add", "s x", "t", &[]), node("Identity", "t", "o", &[])],
    );
    let attributes = [
        ("body", body(sum)),
        ("num_scan_inputs", AttributeValue::Int(1)),
        ("directions", AttributeValue::Ints(vec![1])),
    ];
    let main = graph("l s x", "y z", &[node("Scan", "l s x", "y z", &attributes)]);
    let x = Tensor::new(&[2, 3], vec![1_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("six elements");
    let inputs = |lengths: [i64; 2]| {
        [
            ("l", Tensor::vector(lengths.to_vec()).into()),
            ("s", vector(&[0.0, 0.0]).into()),
            ("x", x.clone().into()),
        ]
    };
    let sums = Tensor::new(&[2, 3], vec![2_f32, 3.0, 0.0, 6.0, 11.0, 15.0]).expect("six elements");
    check(
        8,
        main.clone(),
        &inputs([2, 3]),
        Ok(&[vector(&[3.0, 15.0]), sums]),
    );
    check(8, main, &inputs([2, 4]), Err("`sequence_lens`"));
}

#[test]
fn scan_states_keep_their_shape() {
    let grow = graph(
        "s x",
        "t",
        &[node("Concat", "s s", "t", &[("axis", AttributeValue::Int(0))])],
    );
    let attributes = [("body", body(grow)), ("num_scan_inputs", AttributeValue::Int(1))];
    let main = graph("s x", "y", &[node("Scan", "s x", "y", &attributes)]);
    let inputs = [("s", vector(&[1.0]).into()), ("x", vector(&[1.0, 2.0]).into())];
    check(11, main, &inputs, Err("changes its type or shape"));
}

#[test]
fn branches_agree_in_number_and_type() {
    let branch = |dtype, outputs: &str| {
        declare(
            graph("", outputs, &[node("Identity", "x", "a", &[])]),
            "a",
            dtype,
            &[],
        )
    };
    let main = |other: Graph| {
        let branches = [
            ("then_branch", body(branch(DType::Float, "a"))),
            ("else_branch", body(other)),
        ];
        graph("c x", "y", &[node("If", "c", "y", &branches)])
    };
    let x = Tensor::scalar(2_f32);
    let inputs = [("c", Tensor::scalar(true).into()), ("x", x.clone().into())];
    check(11, main(branch(DType::Float, "a")), &inputs, Ok(&[x]));
    check(
        11,
        main(branch(DType::Double, "a")),
        &inputs,
        Err("but tensor(double) after `else_branch`"),
    );
    check(
        11,
        main(branch(DType::Float, "a a")),
        &inputs,
        Err("`else_branch` has 2 outputs"),
    );
}

#[test]
fn a_map_over_an_empty_sequence_has_the_declared_type() {
    let shape = graph("x", "n", &[node("Shape", "x", "n", &[])]);
    let main = |inner: Graph| {
        graph(
            "s",
            "y",
            &[node("SequenceMap", "s", "y", &[("body", body(inner))])],
        )
    };
    let inputs = [(
        "s",
        Value::Sequence(Sequence {
            element: ValueType::tensor(DType::Float),
            values: Vec::new(),
        }),
    )];
    let declared = declare(shape.clone(), "n", DType::Int64, &[Dim::Unknown]);
    let found = outputs(17, main(declared), &inputs).expect("an empty sequence");
    assert!(
        matches!(&found[..], [Value::Sequence(s)] if s.values.is_empty() && s.element == ValueType::tensor(DType::Int64))
    );
    check(17, main(shape), &inputs, Err("does not declare its type"));
}

#[test]
fn derivatives_of_the_enclosing_graph() {
    let strings =
        |list: &str| AttributeValue::Strings(list.split_whitespace().map(|name| name.into()).collect());
    let gradient = |xs: &str, y: &str, output: &str| {
        let attributes = [("xs", strings(xs)), ("y", AttributeValue::String(y.into()))];
        node("*Gradient", xs, output, &attributes)
    };
    let cube = [
        node("Mul", "x x", "h", &[]),
        node("Mul", "h x", "y", &[]),
        node("Floor", "y", "f", &[]),
    ];
    let asks = |inputs: &str, more: &[Node]| {
        let outputs = more.last().map_or(String::new(), |node| node.outputs.join(" "));
        graph(inputs, &outputs, &[&cube[..], more].concat())
    };
    let x = [("x", vector(&[2.0, -1.0]).into())];
    // d(x³) = 3x², whose derivative is 6x; with respect to h = x² it is x.
    check(
        13,
        asks("x", &[gradient("x", "y", "d")]),
        &x,
        Ok(&[vector(&[12.0, 3.0])]),
    );
    let twice = [gradient("x", "y", "d"), gradient("x", "d", "e")];
    check(13, asks("x", &twice), &x, Ok(&[vector(&[12.0, -6.0])]));
    check(
        13,
        asks("x", &[gradient("h x", "y", "d e")]),
        &x,
        Ok(&[vector(&[2.0, -1.0]), vector(&[4.0, 1.0])]),
    );
    check(
        13,
        asks("x", &[gradient("h", "y", "d")]),
        &x,
        Err("depends on `x`"),
    );
    check(
        13,
        asks("x", &[gradient("x", "f", "d")]),
        &x,
        Err("the derivative of Floor"),
    );
    check(
        13,
        asks("x", &[gradient("x", "nowhere", "d")]),
        &x,
        Err("`nowhere`"),
    );
}
