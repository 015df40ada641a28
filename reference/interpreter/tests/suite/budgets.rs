//! Budgets of a run: a model that exceeds one ends with a typed error, early.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::build::{graph, model, node};
use onnx_interpreter::{Limits, run};
use onnx_model::{AttributeValue, Function, Graph, Model, Node};
use onnx_tensor::{Tensor, Value};

/// Checks that a run fails with an error that contains `part`, within a time that shows that it stopped
/// early.
#[track_caller]
fn refused(model: &Model, inputs: &[(&str, Value)], limits: Limits, part: &str) {
    let inputs: Vec<_> = inputs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let start = Instant::now();
    let error = run(model, &inputs, limits)
        .expect_err("a budget overrun")
        .to_string();
    assert!(error.contains(part), "{error}");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

fn floats(shape: &[usize]) -> Value {
    let count = shape.iter().product();
    Value::Tensor(Tensor::new(shape, vec![1.0_f32; count]).expect("ones"))
}

fn ints(values: &[i64]) -> Value {
    Value::Tensor(Tensor::vector(values.to_vec()))
}

fn body(body: Graph) -> AttributeValue {
    AttributeValue::Graph(Arc::new(body))
}

/// Functions that each call the next twice: 2^40 nodes.
#[test]
fn functions_that_multiply() {
    let call = |to: usize, input: &str, output: &str| Node {
        domain: "d".to_owned(),
        ..node(&format!("f{to}"), input, output, &[])
    };
    let function = |name: usize, nodes: Vec<Node>| {
        Arc::new(Function {
            domain: "d".to_owned(),
            name: format!("f{name}"),
            inputs: vec!["a".to_owned()],
            outputs: vec!["c".to_owned()],
            opset_imports: [("d".to_owned(), 1), (String::new(), 13)].into(),
            nodes,
            ..Function::default()
        })
    };
    let mut multiplied = model(13, graph("x", "y", &[call(0, "x", "y")]));
    multiplied.opset_imports.insert("d".to_owned(), 1);
    for name in 0..40 {
        let nodes = vec![call(name + 1, "a", "b"), call(name + 1, "b", "c")];
        multiplied.functions.push(function(name, nodes));
    }
    multiplied
        .functions
        .push(function(40, vec![node("Relu", "a", "c", &[])]));
    let limits = Limits {
        steps: 10_000,
        ..Limits::default()
    };
    refused(
        &multiplied,
        &[("x", floats(&[1]))],
        limits,
        "more than 10000 steps",
    );
}

/// A loop of a thousand iterations over a body of a hundred nodes: each node is a step.
#[test]
fn every_node_of_a_body_is_a_step() {
    let mut nodes: Vec<Node> = (0..100)
        .map(|at| node("Relu", &format!("v{at}"), &format!("v{}", at + 1), &[]))
        .collect();
    nodes.push(node("Identity", "c", "d", &[]));
    let inner = graph("i c v0", "d v100", &nodes);
    let main = graph(
        "m c s",
        "y",
        &[node("Loop", "m c s", "y", &[("body", body(inner))])],
    );
    let inputs = [
        ("m", Value::Tensor(Tensor::scalar(1000_i64))),
        ("c", Value::Tensor(Tensor::scalar(true))),
        ("s", floats(&[1])),
    ];
    let limits = Limits {
        steps: 50_000,
        ..Limits::default()
    };
    refused(&model(13, main.clone()), &inputs, limits, "more than 50000 steps");
    let enough = Limits {
        steps: 110_000,
        ..Limits::default()
    };
    let inputs: Vec<_> = inputs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    assert!(run(&model(13, main), &inputs, enough).is_ok());
}

/// A single node that would take hours is charged before it runs.
#[test]
fn work_of_one_node_is_charged_before_it_starts() {
    let limits = Limits {
        element_operations: 1 << 24,
        ..Limits::default()
    };
    let work = "more operations on elements";
    let product = model(13, graph("a b", "y", &[node("MatMul", "a b", "y", &[])]));
    refused(
        &product,
        &[("a", floats(&[2000, 1000])), ("b", floats(&[1000, 2000]))],
        limits,
        work,
    );
    let kernel = AttributeValue::Ints(vec![501, 501]);
    let pads = AttributeValue::Ints(vec![250; 4]);
    let pool = node(
        "MaxPool",
        "a",
        "y",
        &[("kernel_shape", kernel), ("pads", pads.clone())],
    );
    refused(
        &model(12, graph("a", "y", &[pool])),
        &[("a", floats(&[1, 1, 600, 600]))],
        limits,
        work,
    );
    let convolution = model(
        13,
        graph("a b", "y", &[node("Conv", "a b", "y", &[("pads", pads)])]),
    );
    let inputs = [("a", floats(&[1, 1, 600, 600])), ("b", floats(&[1, 1, 501, 501]))];
    refused(&convolution, &inputs, limits, work);
    let transform = model(17, graph("a s w", "y", &[node("STFT", "a s w", "y", &[])]));
    let inputs = [
        ("a", floats(&[1, 20_000, 1])),
        ("s", ints(&[1])),
        ("w", floats(&[2000])),
    ];
    let inputs = inputs.map(|(name, value)| match name {
        "s" => (name, Value::Tensor(Tensor::scalar(1_i64))),
        _ => (name, value),
    });
    refused(&transform, &inputs, limits, work);
}

/// An extent of zero makes a tensor empty, but not small.
#[test]
fn an_extent_of_zero_does_not_hide_another() {
    let over = "exceeds the budget";
    let shape = ints(&[0, 1 << 40]);
    let of_shape = model(13, graph("s", "y", &[node("ConstantOfShape", "s", "y", &[])]));
    refused(&of_shape, &[("s", shape.clone())], Limits::default(), over);
    let reshape = node("Reshape", "x s", "y", &[("allowzero", AttributeValue::Int(1))]);
    let reshape = model(14, graph("x s", "y", &[reshape]));
    refused(
        &reshape,
        &[("x", floats(&[0])), ("s", shape)],
        Limits::default(),
        over,
    );
    let huge = Value::Tensor(Tensor::new(&[0, 1 << 40], Vec::<f32>::new()).expect("nothing"));
    let relu = model(13, graph("x", "y", &[node("Relu", "x", "y", &[])]));
    refused(
        &relu,
        &[("x", huge)],
        Limits::default(),
        "input `x`: a result of float",
    );
}

/// Values that are live together count together, and only while they are live.
#[test]
fn memory_of_all_values() {
    let limits = Limits {
        live_bytes: 10_000,
        ..Limits::default()
    };
    let chain = |outputs: &str| {
        let nodes: Vec<Node> = (0..20)
            .map(|at| node("Relu", &format!("v{at}"), &format!("v{}", at + 1), &[]))
            .collect();
        model(13, graph("v0", outputs, &nodes))
    };
    let all: Vec<String> = (1..=20).map(|at| format!("v{at}")).collect();
    refused(
        &chain(&all.join(" ")),
        &[("v0", floats(&[250]))],
        limits,
        "budget of 10000 bytes",
    );
    let inputs = [("v0".to_owned(), floats(&[250]))];
    assert!(run(&chain("v20"), &inputs, limits).is_ok());
}

/// Strings count with their text: one that is doubled repeatedly, and one that is repeated in a tensor.
#[test]
fn strings_count_with_their_text() {
    let text = |length: usize| Value::Tensor(Tensor::scalar("x".repeat(length)));
    let limits = Limits {
        value_bytes: 1 << 20,
        ..Limits::default()
    };
    let inner = graph(
        "i c t",
        "d u",
        &[
            node("Identity", "c", "d", &[]),
            node("StringConcat", "t t", "u", &[]),
        ],
    );
    let doubled = graph(
        "m c s",
        "y",
        &[node("Loop", "m c s", "y", &[("body", body(inner))])],
    );
    let inputs = [
        ("m", Value::Tensor(Tensor::scalar(60_i64))),
        ("c", Value::Tensor(Tensor::scalar(true))),
        ("s", text(10)),
    ];
    refused(&model(20, doubled), &inputs, limits, "exceeds the budget");
    let expand = model(20, graph("x s", "y", &[node("Expand", "x s", "y", &[])]));
    refused(
        &expand,
        &[("x", text(10_000)), ("s", ints(&[1000]))],
        limits,
        "exceeds the budget",
    );
}

/// A sequence that grows by one in each iteration: a million iterations would copy half a trillion values.
#[test]
fn a_sequence_that_grows_counts_with_its_length() {
    let inner = graph(
        "i c s",
        "d l",
        &[
            node("Identity", "c", "d", &[]),
            node("SequenceInsert", "s i", "l", &[]),
        ],
    );
    let dtype = AttributeValue::Int(7);
    let main = graph(
        "m c",
        "y",
        &[
            node("SequenceEmpty", "", "s", &[("dtype", dtype)]),
            node("Loop", "m c s", "y", &[("body", body(inner))]),
        ],
    );
    let inputs = [
        ("m", Value::Tensor(Tensor::scalar(1_000_000_i64))),
        ("c", Value::Tensor(Tensor::scalar(true))),
    ];
    let limits = Limits {
        element_operations: 1 << 26,
        ..Limits::default()
    };
    refused(&model(13, main), &inputs, limits, "more operations on elements");
}
