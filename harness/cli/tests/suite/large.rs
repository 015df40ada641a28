//! Tests of commands on a model whose external data stays in its file, because it is larger than the harness
//! holds in memory.

use std::fs;
use std::sync::Arc;

use crate::models::*;
use onnx_model::proto::{ModelProto, StringStringEntryProto};
use onnx_model::{Graph, Model};
use onnx_tensor::{Dim, Tensor};
use prost::Message;

/// The extent of the matrices: each has 64 KiB.
const EXTENT: usize = 128;

/// y = (x · v − c) · w of x: [batch, 128].
fn large() -> Model {
    let shape = [Dim::Named("batch".to_owned()), Dim::Fixed(EXTENT)];
    let matrix = |from: usize| {
        let elements = (0..EXTENT * EXTENT).map(|i| ((i * 37 + from) % 101) as f32 / 101.0 - 0.5);
        Tensor::new(&[EXTENT, EXTENT], elements.collect()).expect("a matrix")
    };
    let graph = Graph {
        name: "large".to_owned(),
        inputs: vec![info("x", &shape)],
        outputs: vec![info("y", &shape)],
        initializers: vec![
            ("v".to_owned(), matrix(0).into()),
            ("w".to_owned(), matrix(50).into()),
            ("c".to_owned(), Tensor::vector(vec![0.5_f32; EXTENT]).into()),
        ],
        nodes: vec![
            node("first", "MatMul", &["x", "v"], "a"),
            node("second", "Sub", &["a", "c"], "b"),
            node("third", "MatMul", &["b", "w"], "y"),
        ],
        ..Graph::default()
    };
    Model {
        graph: Arc::new(graph),
        ..model()
    }
}

/// A folder `in` with the model and its weights, of which nothing is held in memory.
fn bench() -> Bench {
    let bench = Bench {
        resident: Some(0),
        ..Bench::new()
    };
    fs::create_dir(bench.at("in")).expect("a folder");
    let mut model = ModelProto::decode(large().encode().as_slice()).expect("a model");
    let mut weights = Vec::new();
    for tensor in model
        .graph
        .as_mut()
        .expect("a graph")
        .initializer
        .iter_mut()
        .take(2)
    {
        let entry = |key: &str, value: String| StringStringEntryProto {
            key: Some(key.into()),
            value: Some(value.into()),
        };
        tensor.data_location = Some(1);
        tensor.external_data = vec![
            entry("location", "weights.bin".to_owned()),
            entry("offset", weights.len().to_string()),
        ];
        weights.extend(tensor.raw_data.take().expect("elements"));
    }
    fs::write(bench.at("in/weights.bin"), weights).expect("weights");
    fs::write(bench.at("in/large.onnx"), model.encode_to_vec()).expect("a model");
    bench
}

#[test]
fn every_command_reads_the_weights_where_they_are() {
    let bench = bench();
    for (line, code, part) in [
        ("compare in/large.onnx --backend RIGHT", 0, "right"),
        ("compare in/large.onnx --backend FAULTY", 1, "`second` (Sub-13)"),
        ("locate in/large.onnx --backend FAULTY", 1, "`second` (Sub-13)"),
        (
            "reduce in/large.onnx --backend FAULTY --out reduced",
            0,
            "Sub (a, c)",
        ),
        ("check in/large.onnx --infer inferred.onnx", 0, ""),
        ("profile in/large.onnx --backend RIGHT", 0, "third"),
    ] {
        check(&bench, line, code, &[part]);
    }
    assert!(!bench.at("compare/cases").exists());
}

#[test]
fn a_converted_model_gets_a_copy_of_the_weights() {
    let bench = bench();
    let line = "upgrade in/large.onnx --to 21 --backend RIGHT --out out/new.onnx";
    check(&bench, line, 0, &["equal", "wrote out/weights.bin"]);
    let read = |name: &str| fs::read(bench.at(name)).expect("weights");
    assert_eq!(read("out/weights.bin"), read("in/weights.bin"));
    check(&bench, "compare out/new.onnx --backend RIGHT", 0, &["right"]);
    let inline = "upgrade in/large.onnx --to 21 --inline --out out/inline.onnx";
    check(&bench, inline, 2, &["leave out --inline"]);
}

#[test]
fn weights_that_are_gone_are_a_clear_error() {
    let bench = bench();
    fs::write(bench.at("in/weights.bin"), [0; 1000]).expect("a short file");
    let said = "external data \"weights.bin\" has 1000 bytes, expected 65536 bytes at offset 0";
    check(&bench, "compare in/large.onnx --backend RIGHT", 2, &[said]);
}
