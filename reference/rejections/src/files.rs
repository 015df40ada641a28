//! Files that violate a rule before a model can be decoded: each is [`sound`] with one change.

use onnx_checker::Rule;
use onnx_model::proto::{
    AttributeProto, DimensionValue, GraphProto, MapTypeProto, ModelProto, NodeProto, OperatorSetIdProto,
    SparseTensorProto, StringStringEntryProto, TensorProto, TypeKind, TypeProto,
};
use prost::Message;

use crate::text::model;

/// A file that violates a rule.
#[derive(Debug)]
pub struct FileCase {
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
pub const FILES: &[FileCase] =
    &[
        case(Rule::TensorData, "7 bytes for two floats", || {
            file(|_, graph| graph.initializer = vec![float_tensor(&[2], 7)])
        }),
        case(Rule::TensorData, "a negative extent", || {
            file(|_, graph| graph.initializer = vec![float_tensor(&[-2], 8)])
        }),
        case(Rule::TensorData, "floats in raw_data and in another file", || {
            file(|_, graph| {
                graph.initializer = vec![TensorProto {
                    data_location: Some(1),
                    external_data: entries(&[("location", "w.bin")]),
                    ..float_tensor(&[2], 8)
                }];
            })
        }),
        case(Rule::ExternalData, "a location outside of the folder", || {
            external(&[("location", "../w.bin")])
        }),
        case(Rule::ExternalData, "a location where there is no file", || {
            external(&[("location", "absent.bin")])
        }),
        case(Rule::SparseData, "an index that is out of range", || {
            with_sparse(&[2], 7)
        }),
        case(Rule::SparseData, "an extent of 0", || with_sparse(&[2, 0], 0)),
        case(Rule::SparseData, "a negative extent", || with_sparse(&[-2], 0)),
        case(Rule::SparseData, "no axis", || with_sparse(&[], 0)),
        case(
            Rule::AttributeTwice,
            "an attribute that a node gives twice",
            || with_attributes(vec![axis(), axis()]),
        ),
        case(Rule::ImportTwice, "opsets 13 and 12 of one domain", || {
            file(|model, _| model.opset_import = vec![import(13), import(12)])
        }),
        case(Rule::ExternalData, "two locations", || {
            external(&[("location", "w.bin"), ("location", "v.bin")])
        }),
        case(Rule::ExternalData, "two offsets", || {
            external(&[("location", "w.bin"), ("offset", "0"), ("offset", "8")])
        }),
        case(
            Rule::MetadataTwice,
            "two entries of the model with one key",
            || file(|model, _| model.metadata_props = entries(&[("k", "1"), ("k", "2")])),
        ),
        case(
            Rule::MetadataTwice,
            "two entries of the graph with one key",
            || file(|_, graph| graph.metadata_props = entries(&[("k", "1"), ("l", "2"), ("k", "1")])),
        ),
        case(
            Rule::MetadataTwice,
            "two entries of an initializer with one key",
            || {
                file(|_, graph| {
                    let tensor = graph.initializer.first_mut();
                    tensor.into_iter().for_each(|tensor| {
                        tensor.metadata_props = entries(&[("k", "1"), ("k", "2")]);
                    });
                })
            },
        ),
        case(Rule::MetadataTwice, "two entries of a node with one key", || {
            file(|_, graph| {
                let node = graph.node.first_mut();
                node.into_iter()
                    .for_each(|node| node.metadata_props = entries(&[("k", "1"), ("k", "2")]));
            })
        }),
        case(Rule::ExtentNegative, "an output with an extent of -5", || {
            file(|_, graph| {
                let shapes = graph.output.iter_mut().filter_map(|info| {
                    match info.r#type.as_mut()?.value.as_mut()? {
                        TypeKind::Tensor(tensor) => tensor.shape.as_mut(),
                        _ => None,
                    }
                });
                for dim in shapes.flat_map(|shape| &mut shape.dim) {
                    dim.value = Some(DimensionValue::DimValue(-5));
                }
            })
        }),
        case(Rule::AttributeUntyped, "an attribute without a type", || {
            with_attributes(vec![AttributeProto {
                r#type: None,
                ..axis()
            }])
        }),
        case(
            Rule::DomainAlias,
            "a node of `ai.onnx` under the empty import",
            || {
                file(|_, graph| {
                    for node in &mut graph.node {
                        node.domain = Some(b"ai.onnx".to_vec());
                    }
                })
            },
        ),
        case(
            Rule::Format,
            "an attribute with a value in the field of its type and in another",
            || {
                with_attributes(vec![AttributeProto {
                    ints: vec![1, 2],
                    ..axis()
                }])
            },
        ),
        case(Rule::Format, "a map whose keys are floats", || {
            file(|_, graph| {
                for output in &mut graph.output {
                    let map = MapTypeProto {
                        key_type: Some(1),
                        value_type: output.r#type.take().map(Box::new),
                    };
                    output.r#type = Some(TypeProto {
                        value: Some(TypeKind::Map(map)),
                        ..TypeProto::default()
                    });
                }
            })
        }),
        case(Rule::Format, "an attribute with a second value of zero", || {
            with_attributes(vec![AttributeProto {
                f: Some(0.0),
                ..axis()
            }])
        }),
        case(
            Rule::Format,
            "an attribute that is a reference and has a value",
            || {
                with_attributes(vec![AttributeProto {
                    ref_attr_name: Some(b"outer".to_vec()),
                    ..axis()
                }])
            },
        ),
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

/// A file with a Concat of the initializer that has these attributes.
fn with_attributes(attribute: Vec<AttributeProto>) -> Vec<u8> {
    file(|_, graph| {
        graph.node = vec![NodeProto {
            op_type: Some(b"Concat".to_vec()),
            input: vec![b"w".to_vec()],
            output: vec![b"y".to_vec()],
            attribute,
            ..NodeProto::default()
        }];
    })
}

/// A file with a sparse initializer of this shape, with a single value at an index.
fn with_sparse(dims: &[i64], index: i64) -> Vec<u8> {
    let indices = TensorProto {
        data_type: Some(7),
        raw_data: Some(index.to_le_bytes().to_vec().into()),
        ..float_tensor(&[1], 0)
    };
    file(|_, graph| {
        graph.initializer.clear();
        graph.sparse_initializer = vec![SparseTensorProto {
            values: Some(float_tensor(&[1], 4)),
            indices: Some(indices),
            dims: dims.to_vec(),
        }];
    })
}

fn entries(pairs: &[(&str, &str)]) -> Vec<StringStringEntryProto> {
    let entry = |&(key, value): &(&str, &str)| StringStringEntryProto {
        key: Some(key.into()),
        value: Some(value.into()),
    };
    pairs.iter().map(entry).collect()
}

/// A file with an initializer whose elements are in another file.
fn external(pairs: &[(&str, &str)]) -> Vec<u8> {
    let tensor = TensorProto {
        raw_data: None,
        data_location: Some(1),
        external_data: entries(pairs),
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
    fn similar_files_are_sound() {
        let distinct = || entries(&[("k", "1"), ("l", "1")]);
        let files = [
            file(|_, _| {}),
            file(|model, graph| {
                model.metadata_props = distinct();
                graph.metadata_props = distinct();
            }),
            with_attributes(vec![axis()]),
        ];
        for bytes in files {
            let model = Model::decode(bytes, &Source::named("sound"), &Limits::default()).unwrap();
            let found = check(&model);
            assert!(found.is_empty(), "{:?}", found.list);
        }
    }
}
