//! Models and functions: round trips, old files, and the location in errors.

use onnx_model::proto::{
    AttributeProto, DimensionProto, DimensionValue, FunctionProto, GraphProto, ModelProto, NodeProto,
    OperatorSetIdProto, StringStringEntryProto, TensorProto, TensorShapeProto, TensorTypeProto, TypeKind,
    TypeProto, ValueInfoProto,
};
use onnx_model::{AttributeKind, AttributeValue, Function, Limits, Model, ModelError, Oddity, Source};
use onnx_tensor::{DType, Dim, ValueType};
use prost::Message;

use crate::sample;

fn decode(proto: &ModelProto) -> Result<Model, ModelError> {
    Model::decode(
        proto.encode_to_vec(),
        &Source::named("m.onnx"),
        &Limits::default(),
    )
}

#[test]
fn a_model_survives_a_round_trip() {
    let model = sample::everything();
    let bytes = model.encode();
    let again =
        Model::decode(bytes.clone(), &Source::named("sample"), &Limits::default()).expect("what was encoded");
    assert_eq!(format!("{again:?}"), format!("{model:?}"));
    assert_eq!(again.encode(), bytes);
}

#[test]
fn a_function_survives_a_round_trip() {
    let function = &sample::everything().functions[0];
    let again = Function::decode(function.encode(), &Source::named("sample"), &Limits::default());
    assert_eq!(
        format!("{:?}", again.expect("what was encoded")),
        format!("{function:?}")
    );
}

/// A model of one node with one attribute.
fn with_attribute(attribute: AttributeProto) -> ModelProto {
    let node = NodeProto {
        op_type: Some(b"Op".to_vec()),
        attribute: vec![AttributeProto {
            name: Some(b"a".to_vec()),
            ..attribute
        }],
        ..NodeProto::default()
    };
    ModelProto {
        ir_version: Some(8),
        opset_import: opset(b"", 13),
        graph: Some(GraphProto {
            node: vec![node],
            ..GraphProto::default()
        }),
        ..ModelProto::default()
    }
}

fn opset(domain: &[u8], version: i64) -> Vec<OperatorSetIdProto> {
    vec![OperatorSetIdProto {
        domain: Some(domain.to_vec()),
        version: Some(version),
    }]
}

#[test]
fn an_attribute_without_type_has_the_kind_of_the_field_that_is_set() {
    let value = |attribute| {
        let model = decode(&with_attribute(attribute)).expect("an attribute");
        format!("{:?}", model.graph.nodes[0].attributes[0].value)
    };
    let ints = AttributeProto {
        ints: vec![1, 2],
        ..AttributeProto::default()
    };
    assert_eq!(value(ints), format!("{:?}", AttributeValue::Ints(vec![1, 2])));
    let zero = AttributeProto {
        f: Some(0.0),
        r#type: Some(0),
        ..AttributeProto::default()
    };
    assert_eq!(value(zero), format!("{:?}", AttributeValue::Float(0.0)));
    // A proto3 writer omits a zero.
    let left_out = AttributeProto {
        r#type: Some(2),
        ..AttributeProto::default()
    };
    assert_eq!(value(left_out), format!("{:?}", AttributeValue::Int(0)));
    let reference = AttributeProto {
        ref_attr_name: Some(b"r".to_vec()),
        r#type: Some(2),
        ..AttributeProto::default()
    };
    assert_eq!(
        value(reference),
        format!(
            "{:?}",
            AttributeValue::Reference("r".to_owned(), Some(AttributeKind::Int))
        )
    );
}

#[test]
fn opsets_of_old_files_and_of_the_domain_ai_onnx() {
    let imports = |ir_version, opset_import| {
        let proto = ModelProto {
            ir_version: Some(ir_version),
            opset_import,
            ..with_attribute(some_int())
        };
        decode(&proto)
            .expect("a model")
            .opset_imports
            .into_iter()
            .collect::<Vec<_>>()
    };
    for ir_version in 1..=14 {
        assert_eq!(imports(ir_version, opset(b"", 9)), [(String::new(), 9)]);
    }
    assert_eq!(imports(2, vec![]), [(String::new(), 1)]);
    assert_eq!(imports(3, vec![]), []);
    assert_eq!(
        imports(8, [opset(b"ai.onnx", 9), opset(b"", 9)].concat()),
        [(String::new(), 9)]
    );
}

fn some_int() -> AttributeProto {
    AttributeProto {
        i: Some(1),
        ..AttributeProto::default()
    }
}

#[test]
fn incomplete_types_are_decoded() {
    let tensor = |elem_type, dims: &[Option<DimensionValue>]| {
        let dim = |value: &Option<DimensionValue>| DimensionProto {
            value: value.clone(),
            denotation: None,
        };
        let shape = TensorShapeProto {
            dim: dims.iter().map(dim).collect(),
        };
        Some(TypeKind::Tensor(TensorTypeProto {
            elem_type: Some(elem_type),
            shape: Some(shape),
        }))
    };
    let decoded = |value| {
        let mut proto = with_attribute(some_int());
        let r#type = Some(TypeProto {
            value,
            denotation: None,
        });
        let info = ValueInfoProto {
            name: Some(b"x".to_vec()),
            r#type,
            ..ValueInfoProto::default()
        };
        proto.graph = Some(GraphProto {
            input: vec![info],
            ..GraphProto::default()
        });
        decode(&proto).expect("a declared input").graph.inputs[0]
            .value_type
            .clone()
    };
    assert_eq!(decoded(None), None);
    assert_eq!(decoded(tensor(0, &[])), None);
    let odd = [
        Some(DimensionValue::DimValue(-1)),
        Some(DimensionValue::DimParam(vec![])),
        None,
    ];
    let shape = Some(vec![Dim::Unknown; 3]);
    assert_eq!(
        decoded(tensor(1, &odd)),
        Some(ValueType::Tensor {
            dtype: DType::Float,
            shape
        })
    );
}

/// Checks that a model is refused with this message.
fn refuse(proto: ModelProto, message: &str) {
    assert_eq!(decode(&proto).expect_err(message).to_string(), message);
}

#[test]
fn errors_say_where() {
    let tensor = TensorProto {
        name: Some(b"w".to_vec()),
        dims: vec![2, 2],
        data_type: Some(1),
        raw_data: Some(vec![0; 7].into()),
        ..TensorProto::default()
    };
    let problem = "raw_data has 7 bytes, expected 16 for shape [2, 2] of float";
    let mut proto = with_attribute(AttributeProto {
        t: Some(Box::new(tensor.clone())),
        ..AttributeProto::default()
    });
    refuse(
        proto.clone(),
        &format!("m.onnx: graph.node[0] \"Op\".attribute[0] \"a\".t: {problem}"),
    );
    if let Some(graph) = &mut proto.graph {
        graph.initializer = vec![tensor];
    }
    refuse(proto, &format!("m.onnx: graph.initializer[0] \"w\": {problem}"));
}

#[test]
fn wrong_attributes() {
    let here = "m.onnx: graph.node[0] \"Op\".attribute";
    let nothing = "neither `type` nor a value field is set";
    refuse(
        with_attribute(AttributeProto::default()),
        &format!("{here}[0] \"a\": {nothing}"),
    );
    let rule = "an attribute has only one of them, and none beside `ref_attr_name`";
    for r#type in [None, Some(1), Some(2)] {
        let both = AttributeProto {
            f: Some(0.0),
            r#type,
            ..some_int()
        };
        let unclear = format!("the value fields f, i are set; {rule}");
        refuse(with_attribute(both), &format!("{here}[0] \"a\": {unclear}"));
    }
    let referring = AttributeProto {
        ref_attr_name: Some(b"outer".to_vec()),
        ..some_int()
    };
    let unclear = format!("the value fields i are set; {rule}");
    refuse(with_attribute(referring), &format!("{here}[0] \"a\": {unclear}"));
    let other = AttributeProto {
        r#type: Some(7),
        ..some_int()
    };
    refuse(
        with_attribute(other),
        &format!("{here}[0] \"a\": the type requires field `ints`, but only `i` is set"),
    );
    let unknown = AttributeProto {
        r#type: Some(15),
        ..some_int()
    };
    refuse(
        with_attribute(unknown),
        &format!(
            "{here}[0] \"a\": attribute type 15 is unknown: \
             the specification defines 1 (FLOAT) to 14 (TYPE_PROTOS)"
        ),
    );
    let mut twice = with_attribute(some_int());
    if let Some(graph) = &mut twice.graph {
        let first = graph.node[0].attribute[0].clone();
        graph.node[0].attribute.push(first);
    }
    refuse(twice, &format!("{here}[1] \"a\": duplicate attribute name"));
}

#[test]
fn repeated_keys_of_metadata_are_recorded() {
    let entry = |key: &str| StringStringEntryProto {
        key: Some(key.into()),
        value: None,
    };
    let twice = || vec![entry("a"), entry("k"), entry("k"), entry("a")];
    let inner = NodeProto {
        op_type: Some(b"Relu".to_vec()),
        metadata_props: twice(),
        ..NodeProto::default()
    };
    let mut proto = with_attribute(AttributeProto {
        g: Some(Box::new(GraphProto {
            node: vec![inner.clone()],
            metadata_props: twice(),
            ..GraphProto::default()
        })),
        ..AttributeProto::default()
    });
    proto.metadata_props = twice();
    proto.functions = vec![FunctionProto {
        name: Some(b"f".to_vec()),
        node: vec![inner],
        metadata_props: twice(),
        ..FunctionProto::default()
    }];
    if let Some(graph) = &mut proto.graph {
        graph.value_info = vec![ValueInfoProto {
            name: Some(b"v".repeat(200)),
            metadata_props: twice(),
            ..ValueInfoProto::default()
        }];
        graph.metadata_props = vec![entry("k"), entry("l")];
    }
    let model = decode(&proto).expect("a model");
    // The attribute with the body has no type either.
    let untyped = "graph.node[0] \"Op\".attribute[0] \"a\"";
    let path = untyped.to_owned();
    assert!(model.oddities.contains(&Oddity::UntypedAttribute { path }));
    let repeated: Vec<(&str, &str)> = model
        .oddities
        .iter()
        .filter_map(|one| match one {
            Oddity::RepeatedKey { path, key } => Some((path.as_str(), key.as_str())),
            _ => None,
        })
        .collect();
    let paths: Vec<&str> = repeated.iter().map(|(path, _)| *path).collect();
    let long = format!("graph.value_info[0] \"{}…\".metadata_props", "v".repeat(80));
    let expected = [
        "metadata_props",
        "graph.node[0] \"Op\".attribute[0] \"a\".metadata_props",
        "graph.node[0] \"Op\".attribute[0] \"a\".node[0] \"Relu\".metadata_props",
        &long,
        "functions[0] \"f\".metadata_props",
        "functions[0] \"f\".node[0] \"Relu\".metadata_props",
    ];
    assert_eq!(paths, expected);
    assert!(repeated.iter().all(|(_, key)| *key == "k"), "{repeated:?}");
}

/// onnx has no import for a node of `ai.onnx` under the empty one; in the other direction it has.
#[test]
fn the_other_name_of_the_empty_domain_is_recorded() {
    let import = |domain: &str| OperatorSetIdProto {
        domain: Some(domain.into()),
        version: Some(13),
    };
    let paths = |imports: &[&str], domain: &str| -> Vec<Oddity> {
        let mut proto = with_attribute(some_int());
        proto.opset_import = imports.iter().copied().map(import).collect();
        for node in proto.graph.iter_mut().flat_map(|graph| &mut graph.node) {
            node.domain = Some(domain.into());
        }
        let mut oddities = decode(&proto).expect("a model").oddities;
        oddities.retain(|one| matches!(one, Oddity::DomainAlias { .. }));
        oddities
    };
    let path = "graph.node[0] \"Op\"".to_owned();
    assert_eq!(paths(&[""], "ai.onnx"), [Oddity::DomainAlias { path }]);
    for (imports, domain) in [
        (&["ai.onnx"][..], "ai.onnx"),
        (&["", "ai.onnx"], "ai.onnx"),
        (&["ai.onnx"], ""),
        (&[""], ""),
        (&[""], "ai.onnx.ml"),
    ] {
        assert_eq!(paths(imports, domain), [], "{imports:?} {domain}");
    }
}

#[test]
fn wrong_models() {
    refuse(
        ModelProto::default(),
        "m.onnx: not an ONNX file, but an empty file: download or export the model again",
    );
    let unversioned = ModelProto {
        producer_name: Some(b"p".to_vec()),
        ..ModelProto::default()
    };
    refuse(unversioned, "m.onnx: field `ir_version` is missing");
    refuse(
        ModelProto {
            graph: None,
            ..with_attribute(some_int())
        },
        "m.onnx: field `graph` is missing",
    );
    let opset_import = [opset(b"", 9), opset(b"ai.onnx", 10)].concat();
    refuse(
        ModelProto {
            opset_import,
            ..with_attribute(some_int())
        },
        "m.onnx: opset_import[1]: opset of domain \"\" is imported twice, as 9 and 10",
    );
    let mut latin1 = with_attribute(some_int());
    if let Some(graph) = &mut latin1.graph {
        graph.node[0].input = vec![b"gr\xFCn".to_vec()];
    }
    refuse(
        latin1,
        "m.onnx: graph.node[0] \"Op\": field `input` is not UTF-8: \"gr\u{FFFD}n\"",
    );
}
