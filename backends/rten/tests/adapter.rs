//! Tests of the adapter for rten with small models.

use std::path::Path;

use backend_api::{Backend, BackendError, LoadRequest, Named};
use backend_rten::{RTEN_VERSION, Rten, Settings};
use onnx_model::proto::{ModelProto, StringStringEntryProto, TensorProto};
use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};
use prost::Message;

fn info(name: &str, dtype: DType) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype,
            shape: Some(vec![Dim::Fixed(2)]),
        }),
    }
}

/// The bytes of a model of opset 18 with one node from `x` to `y`.
fn model(operator: &str, from: DType, to: DType) -> Vec<u8> {
    let node = Node {
        operator: operator.to_owned(),
        inputs: vec!["x".to_owned()],
        outputs: vec!["y".to_owned()],
        ..Node::default()
    };
    let graph = Graph {
        name: "test".to_owned(),
        inputs: vec![info("x", from)],
        outputs: vec![info("y", to)],
        nodes: vec![node],
        ..Graph::default()
    };
    let model = Model::new(18, graph);
    model.encode()
}

fn run(model: Vec<u8>, folder: Option<&Path>, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
    let settings = Settings::from_options([("threads", "2")].into_iter().collect())?;
    let request = LoadRequest {
        model: model.into(),
        folder: folder.map(Path::to_owned),
        inputs: Vec::new(),
    };
    Rten::new(settings).load(request)?.run(inputs)
}

fn x(tensor: Tensor) -> Vec<Named> {
    vec![("x".to_owned(), Value::Tensor(tensor))]
}

#[track_caller]
fn check(found: Result<Vec<Named>, BackendError>, expected: &Tensor) {
    match found.as_deref() {
        Ok([(name, Value::Tensor(found))]) if name == "y" => {
            assert!(found.same_bits(expected), "expected {expected:?}, got {found:?}")
        }
        other => panic!("expected one tensor, got {other:?}"),
    }
}

#[test]
fn outputs_have_the_declared_type() {
    let vector = |values: [i64; 2]| Tensor::vector(values.to_vec());
    let truth = |values: [bool; 2]| Tensor::vector(values.to_vec());
    let bytes = |values: [u8; 2]| Tensor::vector(values.to_vec());
    for (operator, given, expected) in [
        (
            "Neg",
            Tensor::vector(vec![1.5_f32, -2.0]),
            Tensor::vector(vec![-1.5_f32, 2.0]),
        ),
        (
            "Neg",
            Tensor::vector(vec![1_i32, -2]),
            Tensor::vector(vec![-1_i32, 2]),
        ),
        ("Neg", vector([3, -4]), vector([-3, 4])),
        ("Not", truth([true, false]), truth([false, true])),
        ("Identity", bytes([7, 255]), bytes([7, 255])),
    ] {
        let file = model(operator, given.dtype(), expected.dtype());
        check(run(file, None, &x(given)), &expected);
    }
}

#[test]
fn types_and_operators_unknown_to_rten_are_unsupported() {
    for (operator, given, expected) in [
        ("Unique", Tensor::vector(vec![1.0_f32, 2.0]), "Unique"),
        (
            "Neg",
            Tensor::vector(vec![1.0_f64, 2.0]),
            "rten has no values of tensor(double)",
        ),
        (
            "Neg",
            Tensor::vector(vec![1_i64 << 40, 2]),
            "a value does not fit",
        ),
    ] {
        let file = model(operator, given.dtype(), given.dtype());
        match run(file, None, &x(given)) {
            Err(BackendError::Unsupported { message, .. }) => {
                assert!(message.contains(expected), "{message}");
            }
            other => panic!("{operator} is not unsupported: {other:?}"),
        }
    }
}

#[test]
fn bytes_that_are_not_a_model_are_a_load_error() {
    // rten itself does not end on the second.
    for bytes in [b"not a model".to_vec(), vec![0xff; 64]] {
        let found = run(bytes, None, &[]);
        assert!(matches!(found, Err(BackendError::Load { .. })), "{found:?}");
    }
}

#[test]
fn external_data_is_included_in_the_model() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let bytes = [3.0_f32, 5.0].map(f32::to_le_bytes).concat();
    std::fs::write(folder.path().join("weights.bin"), bytes).expect("a file can be written");
    let add = model("Add", DType::Float, DType::Float);
    let mut add = ModelProto::decode(add.as_slice()).expect("just encoded");
    let graph = add.graph.as_mut().expect("just put there");
    graph.node[0].input.push("w".into());
    graph.initializer.push(TensorProto {
        name: Some("w".into()),
        dims: vec![2],
        data_type: Some(1),
        data_location: Some(1),
        external_data: [("location", "weights.bin"), ("offset", "0"), ("length", "8")]
            .map(|(key, value)| StringStringEntryProto {
                key: Some(key.into()),
                value: Some(value.into()),
            })
            .into(),
        ..TensorProto::default()
    });
    let found = run(
        add.encode_to_vec(),
        Some(folder.path()),
        &x(Tensor::vector(vec![1.0_f32, 2.0])),
    );
    check(found, &Tensor::vector(vec![4.0_f32, 7.0]));
}

#[test]
fn the_version_is_the_linked_one() {
    let lock = include_str!("../../../Cargo.lock");
    let entry = format!("name = \"rten\"\nversion = \"{RTEN_VERSION}\"\n");
    assert!(
        lock.contains(&entry),
        "Cargo.lock has another version of rten than {RTEN_VERSION}"
    );
}
