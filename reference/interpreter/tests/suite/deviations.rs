//! Deviations in whole models: a run accepts them and a strict run rejects them. Deviations of operators
//! are tested with the operators.

use crate::build::{graph, model, node};
use onnx_interpreter::{Limits, run};
use onnx_model::{AttributeValue, Graph, Model, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

/// The graph with a name and with all inputs and outputs declared as floats, so that it has no other
/// finding.
fn declared(main: Graph) -> Graph {
    let info = |info: &ValueInfo| ValueInfo {
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(vec![Dim::Fixed(2)]),
        }),
        ..info.clone()
    };
    Graph {
        name: "g".to_owned(),
        inputs: main.inputs.iter().map(info).collect(),
        outputs: main.outputs.iter().map(info).collect(),
        ..main
    }
}

fn output(main: &Graph, strict: bool) -> Result<Vec<f32>, String> {
    output_of(&model(13, main.clone()), strict)
}

fn output_of(model: &Model, strict: bool) -> Result<Vec<f32>, String> {
    let inputs = [("x".to_owned(), Value::Tensor(Tensor::vector(vec![1.0_f32, -2.0])))];
    let limits = Limits {
        strict,
        ..Limits::default()
    };
    let outputs = run(model, &inputs, limits).map_err(|error| error.to_string())?;
    Ok(outputs[0]
        .1
        .as_tensor()
        .expect("a tensor")
        .to_vec()
        .expect("floats"))
}

/// y = relu(−x), the last node first; and a body that reads a value that is computed after its node.
#[test]
fn nodes_in_another_order() {
    let nodes = [node("Relu", "a", "y", &[]), node("Neg", "x", "a", &[])];
    let reversed = declared(graph("x", "y", &nodes));
    assert_eq!(output(&reversed, false), Ok(vec![0.0, 2.0]));
    assert!(output(&reversed, true).is_err_and(|error| error.contains("node-order")));

    let branch = |operator| {
        let inner = graph(
            "",
            "o",
            &[node(operator, "b", "o", &[]), node("Neg", "a", "b", &[])],
        );
        AttributeValue::Graph(std::sync::Arc::new(declared(inner)))
    };
    let branches = [("then_branch", branch("Neg")), ("else_branch", branch("Relu"))];
    let mut with_body = declared(graph(
        "x",
        "y",
        &[node("If", "c", "y", &branches), node("Neg", "x", "a", &[])],
    ));
    with_body
        .initializers
        .push(("c".to_owned(), Value::Tensor(Tensor::scalar(false))));
    // −(−x) = x, and its positive part.
    assert_eq!(output(&with_body, false), Ok(vec![1.0, 0.0]));
}

/// A value between nodes has the type that its node gives; an output has the declared one.
#[test]
fn a_value_between_nodes_is_declared_with_another_type() {
    let nodes = [node("Neg", "x", "a", &[]), node("Relu", "a", "y", &[])];
    let mut main = declared(graph("x", "y", &nodes));
    let of_type = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::tensor(DType::Float16)),
    };
    main.value_info = vec![of_type("a")];
    assert_eq!(output(&main, false), Ok(vec![0.0, 2.0]));
    assert!(output(&main, true).is_err_and(|error| error.contains("value-type-wrong")));
    main.outputs = vec![of_type("y")];
    assert!(output(&main, false).is_err_and(|error| error.contains("output `y` is declared")));
}

/// y = x + w, where w is an initializer but not a graph input, at IR version 3.
#[test]
fn an_initializer_of_ir_version_3_that_is_not_an_input() {
    let mut main = declared(graph("x", "y", &[node("Add", "x w", "y", &[])]));
    let w = Value::Tensor(Tensor::vector(vec![1.0_f32, 1.0]));
    main.initializers.push(("w".to_owned(), w));
    let old = Model {
        ir_version: 3,
        ..model(13, main)
    };
    assert_eq!(output_of(&old, false), Ok(vec![2.0, -1.0]));
    assert!(output_of(&old, true).is_err_and(|error| error.contains("initializer-not-input")));
}

/// A cycle has no topological order.
#[test]
fn a_cycle_is_rejected() {
    let nodes = [
        node("Add", "x b", "a", &[]),
        node("Relu", "a", "b", &[]),
        node("Neg", "a", "y", &[]),
    ];
    let error = output(&declared(graph("x", "y", &nodes)), false).expect_err("a cycle");
    assert!(
        error.contains("node-cycle") || error.contains("cycle") || error.contains("circle"),
        "{error}"
    );
}

/// A finding that is not tolerated is reported after any number of tolerated ones.
#[test]
fn tolerated_findings_do_not_hide_an_error() {
    let count = 1500;
    let mut nodes: Vec<_> = (0..count)
        .rev()
        .map(|at| node("Relu", &format!("v{at}"), &format!("v{}", at + 1), &[]))
        .collect();
    nodes.insert(0, node("Relu", &format!("v{count}"), "y", &[]));
    nodes.push(node("Neg", "x", "v0", &[]));
    assert_eq!(
        output(&declared(graph("x", "y", &nodes)), false),
        Ok(vec![0.0, 2.0])
    );
    nodes.push(node("Nonsense", "x", "z", &[]));
    assert!(output(&declared(graph("x", "y", &nodes)), false).is_err_and(|error| error.contains("Nonsense")));
}
