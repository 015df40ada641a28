//! Files that violate a rule before a model can be decoded: each is [`sound`] with one change.

use onnx_checker::Rule;
use onnx_model::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, SparseTensorProto,
    StringStringEntryProto, TensorProto,
};
use prost::Message;

use crate::text::model;

/// A file that violates a rule.
#[derive(Debug)]
pub struct FileCase {
    /// The rule.
    pub rule: Rule,
    /// The fault.
    pub what: &'static str,
    /// The file.
    pub bytes: fn() -> Vec<u8>,
}

const fn case(rule: Rule, what: &'static str, bytes: fn() -> Vec<u8>) -> FileCase {
    FileCase { rule, what, bytes }
}

/// Every rule that only bytes can violate.
pub const FILES: &[FileCase] = &[
    case(Rule::TensorData, "7 bytes for two floats", || {
        file(|_, graph| graph.initializer = vec![float_tensor(&[2], 7)])
    }),
    case(Rule::TensorData, "a negative extent", || {
        file(|_, graph| graph.initializer = vec![float_tensor(&[-2], 8)])
    }),
    case(Rule::ExternalData, "a location outside of the folder", || {
        external("../w.bin")
    }),
    case(Rule::ExternalData, "a location where there is no file", || {
        external("absent.bin")
    }),
    case(Rule::SparseData, "an index that is out of range", || {
        file(|_, graph| {
            graph.initializer.clear();
            graph.sparse_initializer = vec![sparse()];
        })
    }),
    case(
        Rule::AttributeTwice,
        "an attribute that a node gives twice",
        || {
            file(|_, graph| {
                graph.node = vec![NodeProto {
                    op_type: Some(b"Concat".to_vec()),
                    input: vec![b"w".to_vec()],
                    output: vec![b"y".to_vec()],
                    attribute: vec![axis(), axis()],
                    ..NodeProto::default()
                }];
            })
        },
    ),
    case(Rule::ImportTwice, "opsets 13 and 12 of one domain", || {
        file(|model, _| model.opset_import = vec![import(13), import(12)])
    }),
    case(Rule::Format, "an import without a version", || {
        file(|model, _| {
            if let Some(import) = model.opset_import.first_mut() {
                import.version = None;
            }
        })
    }),
];

/// A valid file; [`file`] adds the initializer, which is its output.
fn sound() -> ModelProto {
    let model = model("graph -> y:float[2]\ny = Identity(w)");
    ModelProto::decode(model.encode().as_slice()).unwrap_or_default()
}

/// [`sound`] with a change.
fn file(change: impl FnOnce(&mut ModelProto, &mut GraphProto)) -> Vec<u8> {
    let mut model = sound();
    let mut graph = model.graph.take().unwrap_or_default();
    graph.initializer = vec![float_tensor(&[2], 8)];
    change(&mut model, &mut graph);
    model.graph = Some(graph);
    model.encode_to_vec()
}

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

fn axis() -> AttributeProto {
    AttributeProto {
        name: Some("axis".into()),
        i: Some(0),
        r#type: Some(2),
        ..AttributeProto::default()
    }
}

fn sparse() -> SparseTensorProto {
    SparseTensorProto {
        values: Some(float_tensor(&[1], 4)),
        indices: Some(TensorProto {
            data_type: Some(7),
            raw_data: Some(7_i64.to_le_bytes().to_vec().into()),
            ..float_tensor(&[1], 0)
        }),
        dims: vec![2],
    }
}

fn external(location: &str) -> Vec<u8> {
    let entry = StringStringEntryProto {
        key: Some("location".into()),
        value: Some(location.into()),
    };
    let tensor = TensorProto {
        raw_data: None,
        data_location: Some(1),
        external_data: vec![entry],
        ..float_tensor(&[2], 0)
    };
    file(|_, graph| graph.initializer = vec![tensor])
}

#[cfg(test)]
mod tests {
    use onnx_checker::check;
    use onnx_model::{Limits, Model, Source};

    use super::*;

    #[test]
    fn without_the_change_a_file_is_sound() {
        let bytes = file(|_, _| {});
        let model = Model::decode(bytes, &Source::named("sound"), &Limits::default()).unwrap();
        assert!(check(&model).is_empty());
    }
}
