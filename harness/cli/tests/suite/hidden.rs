//! A node that is wrong and stays within the noise of the outputs behind it.

use crate::models::*;
use onnx_model::{Attribute, AttributeValue, Graph, Model};
use onnx_tensor::{Dim, Tensor};

/// y = softmax((leaky_relu(x) + 4,000,000) − 4,000,000): rounding decides about multiples of 0.25.
fn coarse() -> Model {
    let shape = [Dim::Fixed(1), Dim::Fixed(8)];
    let mut leaky = node("leaky", "LeakyRelu", &["x"], "a");
    leaky.attributes.push(Attribute {
        name: "alpha".to_owned(),
        value: AttributeValue::Float(0.1),
    });
    Model::new(
        17,
        Graph {
            inputs: vec![info("x", &shape)],
            outputs: vec![info("y", &shape)],
            initializers: vec![("large".to_owned(), Tensor::vector(vec![4e6_f32]).into())],
            nodes: vec![
                leaky,
                node("add", "Add", &["a", "large"], "b"),
                node("subtract", "Sub", &["b", "large"], "c"),
                node("softmax", "Softmax", &["c"], "y"),
            ],
            ..Graph::default()
        },
    )
}

fn bench() -> Bench {
    let bench = Bench::new();
    std::fs::write(bench.at("coarse.onnx"), coarse().encode()).expect("a model");
    let row = [-0.9_f32, 1.2, -0.3, 0.7, -1.1, 0.2, -0.6, 1.9];
    let bytes: Vec<u8> = row.iter().flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(bench.at("x.npy"), npy("<f4", "(1, 8)", &bytes)).expect("an input");
    bench
}

/// The fault: `leaky` has another alpha.
fn line(rest: &str) -> String {
    format!("{rest} --input x=x.npy").replace("LEAKY", &format!("cmd:{FAULTY} --opt fault=leaky:attribute"))
}

const NAMED: &str = "the outputs hide a wrong node: node 0 `leaky` (LeakyRelu-16), alone on the inputs of the reference: `a`: element [0, 0] is";

#[test]
fn outputs_that_say_little_do_not_hide_a_wrong_node() {
    let compare = |options: &str, backend: &str, code: i32, parts: &[&str]| {
        let line = line(&format!("compare coarse.onnx --backend '{backend}' {options}"));
        check(&bench(), &line, code, parts);
    };
    compare("", "RIGHT", 0, &["right, exact"]);
    compare("--each-node always", "RIGHT", 0, &["right, exact"]);
    compare(
        "--each-node never",
        "LEAKY",
        0,
        &["right, within the model's noise"],
    );
    compare("", "LEAKY", 1, &["WRONG", NAMED]);
    compare("--format json", "LEAKY", 1, &["\"answer\": \"wrong\"", NAMED]);
}

/// The reports of the run have the verdict too.
#[test]
fn a_hidden_wrong_node_is_the_verdict_in_every_file() {
    let bench = bench();
    check(
        &bench,
        &line("compare coarse.onnx --backend 'LEAKY' --out r"),
        1,
        &[NAMED],
    );
    let junit = std::fs::read_to_string(bench.at("r/junit.xml")).expect("a file");
    assert!(junit.contains("the outputs hide a wrong node"), "{junit}");
    let again = "conformance --cases r/cases --backend 'LEAKY' --out s";
    let again = again.replace("LEAKY", &format!("cmd:{FAULTY} --opt fault=leaky:attribute"));
    check(&bench, &again, 0, &["mismatch: the outputs hide a wrong node"]);
    let csv = std::fs::read_to_string(bench.at("s/results.csv")).expect("a file");
    assert!(csv.contains("the outputs hide a wrong node"), "{csv}");
}

#[test]
fn locate_names_a_hidden_wrong_node() {
    let named = "node 0 `leaky` (LeakyRelu-16) is wrong on the inputs of the reference";
    check(
        &bench(),
        &line("locate coarse.onnx --backend 'LEAKY'"),
        1,
        &[named],
    );
    check(
        &bench(),
        &line("locate coarse.onnx --backend 'RIGHT'"),
        0,
        &["nothing to locate"],
    );
}
