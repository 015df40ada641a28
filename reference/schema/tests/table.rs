//! Tests the operator table against facts read by hand from the documents of the specification.

use onnx_schema::{
    AttributeKind, CONTRIB_DOMAIN, DefaultValue, FormalOption, FunctionKind, OperatorSchema, SchemaType,
    TypeRef, all, contrib, domains, first_release, foreign_domain, function_bodies, function_body,
    ir_version, lookup, newest_opset, operators, releases, versions,
};
use onnx_tensor::{DType, ValueType};

/// Returns the version of an ai.onnx operator that was introduced at exactly this opset.
fn schema(name: &str, since: u32) -> &'static OperatorSchema {
    let found = lookup("", name, since).unwrap_or_else(|| panic!("{name} has no version at opset {since}"));
    assert_eq!(found.since, since, "{name}");
    found
}

fn schema_in(domain: &str, name: &str) -> &'static OperatorSchema {
    lookup(domain, name, 1).unwrap_or_else(|| panic!("no {domain}.{name}"))
}

#[test]
fn every_domain_is_complete() {
    let expected = [
        ("", 203, 629, 28),
        ("ai.onnx.ml", 19, 25, 5),
        ("ai.onnx.preview", 1, 1, 1),
        ("ai.onnx.preview.training", 4, 4, 1),
    ];
    let found: Vec<_> = domains()
        .iter()
        .map(|domain| {
            let of_domain = operators()
                .iter()
                .filter(|operator| operator.domain == domain.name)
                .count();
            let rows = all().filter(|row| row.domain == domain.name).count();
            (domain.name, of_domain, rows, domain.newest_opset)
        })
        .collect();
    assert_eq!(found, expected);
    assert_eq!(all().count(), 659);
}

#[test]
fn rows_are_sorted_and_unique() {
    let keys: Vec<_> = all().map(|row| (row.domain, row.name, row.since)).collect();
    assert!(keys.is_sorted_by(|a, b| a < b));
    for operator in operators() {
        assert!(
            operator
                .versions
                .iter()
                .all(|row| (row.domain, row.name) == (operator.domain, operator.name))
        );
    }
    let bodies: Vec<_> = function_bodies()
        .iter()
        .map(|b| (b.domain, b.name, b.since, b.opset))
        .collect();
    assert!(bodies.is_sorted_by(|a, b| a < b));
}

/// The operators that ONNX Runtime 1.32.0 adds: 150 in its domain, and those of the domain of ONNX.
#[test]
fn contrib_operators_have_a_table_of_their_own() {
    let keys: Vec<_> = contrib().map(|row| (row.domain, row.name, row.since)).collect();
    assert!(keys.is_sorted_by(|a, b| a < b));
    let of_domain = keys
        .iter()
        .filter(|(domain, ..)| *domain == CONTRIB_DOMAIN)
        .count();
    assert_eq!((keys.len(), of_domain), (156, 150));
    assert!(contrib().all(|row| row.is_contrib()) && !all().any(OperatorSchema::is_contrib));
    assert_eq!(newest_opset(CONTRIB_DOMAIN), Some(1));
    let found = |domain, name| lookup(domain, name, 1).map(ToString::to_string);
    assert_eq!(
        found(CONTRIB_DOMAIN, "MatMulNBits").as_deref(),
        Some("com.microsoft.MatMulNBits-1")
    );
    assert_eq!(
        found("", "SimplifiedLayerNormalization").as_deref(),
        Some("SimplifiedLayerNormalization-1")
    );
    assert_eq!(found(CONTRIB_DOMAIN, "Softmax"), None);
    let norm = |opset| lookup("", "LayerNormalization", opset).map(|row| (row.since, row.is_contrib()));
    assert_eq!((norm(16), norm(17)), (Some((1, true)), Some((17, false))));
    let bits = schema_in(CONTRIB_DOMAIN, "MatMulNBits");
    let default = |name| bits.attribute(name).and_then(|attribute| attribute.default);
    assert_eq!(default("bits"), Some(DefaultValue::Int(4)));
    assert_eq!((bits.min_inputs, bits.max_inputs), (3, 6));
    let parts = schema_in(CONTRIB_DOMAIN, "QLinearConcat").input(7);
    assert_eq!(
        parts.map(|part| (part.option, part.min_arity)),
        Some((FormalOption::Variadic, 1))
    );
}

#[test]
fn foreign_domains_have_a_reason() {
    for domain in ["com.microsoft.nchwc", "ai.onnx.contrib"] {
        assert!(
            foreign_domain(domain).is_some() && newest_opset(domain).is_none(),
            "{domain}"
        );
    }
    assert_eq!(foreign_domain("com.example"), None);
}

#[test]
fn every_row_is_consistent() {
    for row in all().chain(contrib()) {
        let at = format!("{}-{}", row.name, row.since);
        assert!(
            row.min_inputs <= row.max_inputs && row.min_outputs <= row.max_outputs,
            "{at}: arity"
        );
        for (formals, most) in [(row.inputs, row.max_inputs), (row.outputs, row.max_outputs)] {
            let variadic = formals.iter().position(|f| f.option == FormalOption::Variadic);
            assert!(
                variadic.is_none_or(|index| index + 1 == formals.len()),
                "{at}: variadic before the end"
            );
            let expected = if variadic.is_some() {
                usize::MAX
            } else {
                formals.len()
            };
            assert_eq!(most, expected, "{at}: most parameters");
            for formal in formals {
                assert!(
                    !row.types(formal).is_empty(),
                    "{at}: {} has no types",
                    formal.name
                );
            }
        }
        assert!(
            row.attributes.is_sorted_by(|a, b| a.name < b.name),
            "{at}: attributes"
        );
        for attribute in row.attributes {
            assert!(
                !(attribute.required && attribute.default.is_some()),
                "{at}: {}",
                attribute.name
            );
            assert!(
                attribute.default.is_none_or(|d| d.kind() == attribute.kind),
                "{at}: {}",
                attribute.name
            );
        }
        let has_body = function_body(row, u32::MAX).is_some();
        assert_eq!(
            row.function == FunctionKind::Static,
            has_body,
            "{at}: function body"
        );
    }
}

#[test]
fn lookup_takes_the_greatest_since_not_above_the_opset() {
    let cases = [
        ("", "Softmax", 0, None),
        ("", "Softmax", 1, Some(1)),
        ("", "Softmax", 10, Some(1)),
        ("", "Softmax", 11, Some(11)),
        ("", "Softmax", 12, Some(11)),
        ("", "Softmax", 13, Some(13)),
        ("", "Softmax", 1_000, Some(13)),
        ("ai.onnx", "Softmax", 12, Some(11)),
        ("", "Gelu", 19, None),
        ("", "Gelu", 20, Some(20)),
        ("", "Upsample", 28, Some(10)),
        ("", "ZipMap", 28, None),
        ("ai.onnx.ml", "ZipMap", 5, Some(1)),
        ("ai.onnx.ml", "TreeEnsembleClassifier", 4, Some(3)),
        ("ai.onnx.preview.training", "Adam", 1, Some(1)),
        ("", "softmax", 13, None),
        ("com.example", "Softmax", 13, None),
    ];
    for (domain, name, opset, expected) in cases {
        let found = lookup(domain, name, opset).map(|row| row.since);
        assert_eq!(found, expected, "{domain}::{name} at opset {opset}");
    }
    assert_eq!(
        versions("ai.onnx", "Softmax")
            .iter()
            .map(|row| row.since)
            .collect::<Vec<_>>(),
        [1, 11, 13]
    );
    assert_eq!(
        (newest_opset("ai.onnx"), newest_opset("com.example")),
        (Some(28), None)
    );
}

#[test]
fn defaults_are_those_of_the_version() {
    let cases = [
        ("Softmax", 1, "axis", Some(DefaultValue::Int(1))),
        ("Softmax", 11, "axis", Some(DefaultValue::Int(1))),
        ("Softmax", 13, "axis", Some(DefaultValue::Int(-1))),
        ("Selu", 1, "alpha", Some(DefaultValue::Float(1.6732))),
        (
            "Selu",
            6,
            "alpha",
            Some(DefaultValue::Float(f32::from_bits(0x3fd6_2d7d))),
        ),
        (
            "Selu",
            6,
            "gamma",
            Some(DefaultValue::Float(f32::from_bits(0x3f86_7d5f))),
        ),
        ("Clip", 6, "min", Some(DefaultValue::Float(f32::MIN))),
        (
            "RNN",
            14,
            "activations",
            Some(DefaultValue::Strings(&["Tanh", "Tanh"])),
        ),
        (
            "MeanVarianceNormalization",
            9,
            "axes",
            Some(DefaultValue::Ints(&[0, 2, 3])),
        ),
        ("Conv", 11, "auto_pad", Some(DefaultValue::String("NOTSET"))),
        ("Conv", 11, "strides", None),
        ("Cast", 13, "to", None),
    ];
    for (name, since, attribute, expected) in cases {
        let found = schema(name, since)
            .attribute(attribute)
            .map(|declared| declared.default);
        assert_eq!(found, Some(expected), "{name}-{since} {attribute}");
    }
    let to = schema("Cast", 13)
        .attribute("to")
        .map(|declared| (declared.required, declared.kind));
    assert_eq!(to, Some((true, AttributeKind::Int)));
    assert!(schema("Clip", 11).attribute("min").is_none());
}

#[test]
fn parameters_keep_their_options() {
    let concat = schema("Concat", 13);
    let repeated = concat
        .input(41)
        .map(|f| (f.name, f.option, f.homogeneous, f.min_arity));
    assert_eq!(repeated, Some(("inputs", FormalOption::Variadic, true, 1)));
    assert_eq!((concat.min_inputs, concat.max_inputs), (1, usize::MAX));
    assert!(concat.output(1).is_none());

    let dropout = schema("Dropout", 13);
    let mask = dropout.output(1).map(|f| (f.name, f.option, f.type_ref));
    assert_eq!(
        mask,
        Some(("mask", FormalOption::Optional, TypeRef::Constraint("T2")))
    );
    assert_eq!((dropout.min_outputs, dropout.max_outputs), (1, 2));
    assert!(dropout.nondeterministic && !schema("Softmax", 13).nondeterministic);

    let state = schema("Loop", 11)
        .input(2)
        .map(|f| (f.option, f.homogeneous, f.min_arity));
    assert_eq!(state, Some((FormalOption::Variadic, false, 0)));
}

#[test]
fn type_sets_hold_every_kind_of_type() {
    const FLOAT: SchemaType = SchemaType::Tensor(DType::Float);
    const INT64_TO_FLOAT: SchemaType = SchemaType::Map(DType::Int64, &FLOAT);
    const LABEL_TO_FLOAT: SchemaType = SchemaType::Map(DType::String, &FLOAT);
    let cases = [
        (
            "",
            "SequenceAt",
            11,
            SchemaType::Sequence(&FLOAT),
            "seq(tensor(float))",
        ),
        (
            "",
            "OptionalGetElement",
            15,
            SchemaType::Optional(&FLOAT),
            "optional(tensor(float))",
        ),
        (
            "ai.onnx.ml",
            "CastMap",
            1,
            INT64_TO_FLOAT,
            "map(int64,tensor(float))",
        ),
        (
            "",
            "Cast",
            28,
            SchemaType::Tensor(DType::Float6E2M3),
            "tensor(float6e2m3)",
        ),
        (
            "",
            "GatherND",
            13,
            SchemaType::Tensor(DType::Int64),
            "tensor(int64)",
        ),
    ];
    for (domain, name, opset, expected, text) in cases {
        let row = lookup(domain, name, opset).unwrap_or_else(|| panic!("no {name} at opset {opset}"));
        assert!(
            row.inputs
                .iter()
                .any(|formal| row.types(formal).contains(&expected)),
            "{name}: {text}"
        );
        assert_eq!(expected.to_string(), text);
    }
    let zip_map = lookup("ai.onnx.ml", "ZipMap", 1).and_then(|row| Some(row.types(row.output(0)?)));
    let rows = [
        SchemaType::Sequence(&LABEL_TO_FLOAT),
        SchemaType::Sequence(&INT64_TO_FLOAT),
    ];
    assert!(zip_map.is_some_and(|types| types.len() == 2 && rows.iter().all(|row| types.contains(row))));
}

#[test]
fn a_value_type_matches_only_its_own_schema_type() {
    let float = ValueType::tensor(DType::Float);
    let floats = ValueType::Sequence(Box::new(float.clone()));
    let types = schema("SequenceAt", 11);
    let accepted = |value: &ValueType| {
        types
            .input(0)
            .is_some_and(|formal| types.types(formal).iter().any(|allowed| allowed.matches(value)))
    };
    assert!(accepted(&floats));
    assert!(!accepted(&float));
    assert!(!accepted(&ValueType::Sequence(Box::new(floats))));
}

#[test]
fn deprecated_versions_are_marked() {
    let found: Vec<_> = all()
        .filter(|row| row.deprecated)
        .map(|row| (row.name, row.since))
        .collect();
    let expected = [
        ("GroupNormalization", 18),
        ("Scatter", 11),
        ("Upsample", 10),
        ("TreeEnsembleClassifier", 5),
        ("TreeEnsembleRegressor", 5),
    ];
    assert_eq!(found, expected);
}

#[test]
fn function_bodies_are_found_by_opset() {
    let cases = [
        ("MeanVarianceNormalization", 9, 12, Some(9)),
        ("MeanVarianceNormalization", 13, 12, None),
        ("MeanVarianceNormalization", 13, 17, Some(13)),
        ("MeanVarianceNormalization", 13, 28, Some(18)),
        ("Relu", 14, 17, None),
        ("Relu", 14, 18, Some(18)),
        ("Abs", 13, 28, None),
    ];
    for (name, since, opset, expected) in cases {
        let found = function_body(schema(name, since), opset).map(|body| body.opset);
        assert_eq!(found, expected, "{name}-{since} at opset {opset}");
    }
    assert_eq!(function_bodies().len(), 43);
    assert_eq!(
        all()
            .filter(|row| row.function == FunctionKind::ContextDependent)
            .count(),
        34
    );
    for body in function_bodies() {
        // Field 1 of FunctionProto is the name: tag 0x0a, length, text.
        let head = [&[0x0a, body.name.len() as u8], body.name.as_bytes()].concat();
        assert!(
            body.proto.starts_with(&head),
            "{}-{} has the body of another",
            body.name,
            body.since
        );
    }
}

#[test]
fn releases_agree_with_the_table() {
    let release = releases().iter().find(|release| release.version == "1.22.0");
    assert_eq!(
        release.map(|r| (r.ir_version, r.opset, r.ml_opset)),
        Some((13, 27, 5))
    );
    assert_eq!(
        first_release("", 13).map(|release| release.version),
        Some("1.8.0")
    );
    assert_eq!(first_release("", 29), None);
    let versions = [("", 9), ("", 21), ("", 29), ("ai.onnx.ml", 3), ("ai.onnx.ml", 5)];
    assert_eq!(
        versions.map(|(domain, opset)| ir_version(domain, opset)),
        [8, 10, 8, 8, 10]
    );
    for domain in domains() {
        let newest = releases()
            .last()
            .and_then(|release| release.opset_of(domain.name));
        assert!(
            newest.is_none_or(|opset| opset == domain.newest_opset),
            "{}",
            domain.name
        );
    }
}
