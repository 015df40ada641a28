//! Files with violations that keep them from being decoded, and files that are not models.

use std::fs;

use onnx_checker::{Rule, check_file};
use onnx_model::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, SparseTensorProto,
    StringStringEntryProto, TensorProto,
};
use prost::Message;

fn float_tensor(dims: &[i64], raw: usize) -> TensorProto {
    TensorProto {
        name: Some(b"w".to_vec()),
        dims: dims.to_vec(),
        data_type: Some(1),
        raw_data: Some(vec![0; raw].into()),
        ..TensorProto::default()
    }
}

fn import(version: i64) -> OperatorSetIdProto {
    OperatorSetIdProto {
        domain: None,
        version: Some(version),
    }
}

/// A model with one initializer, modified.
fn file(change: impl FnOnce(&mut ModelProto, &mut GraphProto)) -> Vec<u8> {
    let mut model = ModelProto {
        ir_version: Some(8),
        opset_import: vec![import(13)],
        ..ModelProto::default()
    };
    let mut graph = GraphProto {
        name: Some(b"g".to_vec()),
        initializer: vec![float_tensor(&[2], 8)],
        ..GraphProto::default()
    };
    change(&mut model, &mut graph);
    model.graph = Some(graph);
    model.encode_to_vec()
}

/// The violated rules, or the message for an unreadable file.
fn found(bytes: &[u8]) -> Result<Vec<Rule>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.onnx");
    fs::write(&path, bytes).expect("a file");
    let found = check_file(&path, &onnx_model::Limits::default()).map_err(|error| error.to_string())?;
    Ok(found.list.iter().map(|finding| finding.rule()).collect())
}

#[test]
fn a_violation_that_prevents_decoding_is_a_finding() {
    let external = |location: &str| {
        let entry = |key: &str, value: &str| StringStringEntryProto {
            key: Some(key.into()),
            value: Some(value.into()),
        };
        let tensor = TensorProto {
            raw_data: None,
            data_location: Some(1),
            external_data: vec![entry("location", location)],
            ..float_tensor(&[2], 0)
        };
        file(|_, graph| graph.initializer = vec![tensor])
    };
    let twice = |name: &str| AttributeProto {
        name: Some(name.into()),
        i: Some(1),
        r#type: Some(2),
        ..AttributeProto::default()
    };
    let sparse = SparseTensorProto {
        values: Some(float_tensor(&[1], 4)),
        indices: Some(TensorProto {
            data_type: Some(7),
            ..float_tensor(&[1], 8)
        }),
        dims: vec![0],
    };
    let cases = [
        (file(|_, _| {}), vec![]),
        (
            file(|_, graph| graph.initializer = vec![float_tensor(&[2], 7)]),
            vec![Rule::TensorData],
        ),
        (
            file(|_, graph| graph.initializer = vec![float_tensor(&[-2], 8)]),
            vec![Rule::TensorData],
        ),
        (external("../w.bin"), vec![Rule::ExternalData]),
        (external("absent.bin"), vec![Rule::ExternalData]),
        (
            file(|_, graph| graph.sparse_initializer = vec![sparse]),
            vec![Rule::SparseData],
        ),
        (
            file(|_, graph| {
                graph.node = vec![NodeProto {
                    op_type: Some(b"Concat".to_vec()),
                    attribute: vec![twice("axis"), twice("axis")],
                    ..NodeProto::default()
                }];
            }),
            vec![Rule::AttributeTwice],
        ),
        (
            file(|model, _| model.opset_import = vec![import(13), import(12)]),
            vec![Rule::ImportTwice],
        ),
        (
            file(|model, _| model.opset_import[0].version = None),
            vec![Rule::Format],
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(found(&bytes), Ok(expected));
    }
}

#[test]
fn a_file_that_is_not_a_model_is_an_error() {
    assert!(found(b"no protobuf message at all").is_err());
    assert!(check_file("/nowhere/model.onnx".as_ref(), &onnx_model::Limits::default()).is_err());
}
