//! Tests of `upgrade` on a model whose weights are in another file.

use std::fs;

use crate::models::*;
use onnx_model::proto::{ModelProto, StringStringEntryProto};
use prost::Message;

/// The model of the bench with its weights in `weights.bin` beside it, and documentation.
fn bench() -> Bench {
    let bench = Bench::new();
    fs::create_dir(bench.at("in")).expect("a folder");
    let mut model = ModelProto::decode(model().encode().as_slice()).expect("a model");
    let entry = |key: &str, value: &str| StringStringEntryProto {
        key: Some(key.into()),
        value: Some(value.into()),
    };
    let graph = model.graph.as_mut().expect("a graph");
    graph.node[1].doc_string = Some("the difference".into());
    let weights = &mut graph.initializer[0];
    let bytes = weights.raw_data.take().expect("elements");
    weights.data_location = Some(1);
    weights.external_data = vec![
        entry("location", "weights.bin"),
        entry("offset", "0"),
        entry("length", "12"),
    ];
    fs::write(bench.at("in/weights.bin"), &bytes).expect("weights");
    fs::write(bench.at("in/net.onnx"), model.encode_to_vec()).expect("a model");
    bench
}

/// Whether the weights are in another file, and the documentation of the second node.
fn written(bench: &Bench, path: &str) -> (bool, String) {
    let bytes = fs::read(bench.at(path)).expect("a model");
    let graph = ModelProto::decode(bytes.as_slice())
        .expect("a model")
        .graph
        .expect("a graph");
    let doc = graph.node[1].doc_string.clone().unwrap_or_default();
    (
        graph.initializer[0].data_location == Some(1),
        String::from_utf8_lossy(&doc).into_owned(),
    )
}

#[test]
fn weights_stay_in_their_file() {
    let bench = bench();
    let line = "upgrade in/net.onnx --to 21 --backend RIGHT";
    check(
        &bench,
        &format!("{line} --out out/new.onnx"),
        0,
        &["equal", "wrote out/weights.bin"],
    );
    assert_eq!(
        written(&bench, "out/new.onnx"),
        (true, "the difference".to_owned())
    );
    assert_eq!(
        fs::read(bench.at("out/weights.bin")).expect("weights"),
        fs::read(bench.at("in/weights.bin")).expect("weights")
    );
    // A second conversion finds the file.
    let again = check(&bench, &format!("{line} --out out/new.onnx"), 0, &["equal"]);
    assert!(!again.stderr.contains("weights.bin"), "{}", again.stderr);
}

#[test]
fn weights_are_written_into_the_model_on_request() {
    let bench = bench();
    let line = "upgrade in/net.onnx --to 21 --inline --out out/new.onnx";
    check(&bench, line, 0, &["equal"]);
    assert_eq!(
        written(&bench, "out/new.onnx"),
        (false, "the difference".to_owned())
    );
    assert!(!bench.at("out/weights.bin").exists());
}

#[test]
fn another_file_with_the_name_of_the_weights_is_not_overwritten() {
    let bench = bench();
    fs::create_dir(bench.at("out")).expect("a folder");
    fs::write(bench.at("out/weights.bin"), "mine").expect("a file");
    check(
        &bench,
        "upgrade in/net.onnx --to 21 --out out/new.onnx",
        2,
        &["`out/weights.bin` has other content than the weights of the model"],
    );
    assert_eq!(fs::read(bench.at("out/weights.bin")).expect("a file"), b"mine");
    assert!(!bench.at("out/new.onnx").exists());
}
