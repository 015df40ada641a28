//! Compares catalogue and exercises with the schema table and the own cases.

use std::collections::{BTreeMap, BTreeSet};

use harness_corpus::own;
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, ValueType};
use run_record::coverage::Coverage;

use super::*;
use crate::survey::{Survey, survey};

#[test]
fn the_catalogue_equals_the_schema_table() {
    let versions = catalogue();
    assert_eq!(versions.len(), 659);
    let ids: Vec<String> = versions.iter().map(|version| version.id()).collect();
    let schemas: Vec<String> = onnx_schema::all().map(ToString::to_string).collect();
    assert_eq!(ids, schemas);
}

/// Own cases name the version that they exercise, and the catalogue knows every use in them.
#[test]
fn own_cases_exercise_the_version_that_they_name() {
    let corpus = own::corpus().expect("own cases are well formed");
    let Survey { cases, unreadable } = survey(corpus.cases());
    assert!(unreadable.is_empty(), "{unreadable:?}");
    let uses: BTreeMap<String, _> = cases
        .iter()
        .map(|case| (case.case.clone(), &case.exercises))
        .collect();
    let named = own::cases().expect("own cases are well formed");
    assert_eq!(named.len(), cases.len());
    for case in &named {
        let exercises = uses.get(&case.id.to_string()).expect("it was surveyed");
        let about = |version: &&run_record::Exercise| version.operator.ends_with(&format!("-{}", case.since));
        assert!(
            exercises.iter().any(|used| about(&used)),
            "{}: {exercises:?}",
            case.id
        );
    }
    let catalogue = catalogue();
    let counted = Coverage::of(&catalogue, &cases);
    // The catalogue is that of ONNX, without the operators that a runtime adds.
    let known: BTreeSet<String> = onnx_schema::all().map(ToString::to_string).collect();
    let mut operators: Vec<&str> = cases
        .iter()
        .flat_map(|case| &case.exercises)
        .map(|used| &*used.operator)
        .filter(|operator| known.contains(*operator))
        .collect();
    operators.sort_unstable();
    operators.dedup();
    assert_eq!(counted.exercised(), operators.len());
    assert!(touched(&cases).len() >= operators.len());
}

/// Checks the exercise, as one line, of a node of `operator` at `opset` with a float input `x` and these
/// attributes.
fn check(operator: &str, opset: i64, attributes: &[(&str, AttributeValue)], expected: &str) {
    let info = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::tensor(DType::Float)),
    };
    let attribute = |(name, value): &(&str, AttributeValue)| Attribute {
        name: (*name).to_owned(),
        value: value.clone(),
    };
    let node = Node {
        operator: operator.to_owned(),
        inputs: vec!["x".to_owned()],
        outputs: vec!["y".to_owned()],
        attributes: attributes.iter().map(attribute).collect(),
        ..Node::default()
    };
    let graph = Graph {
        inputs: vec![info("x")],
        outputs: vec![info("y")],
        nodes: vec![node],
        ..Graph::default()
    };
    let model = Model::new(opset, graph);
    let [exercise] = exercises(&model).try_into().expect("one use");
    let run_record::Exercise {
        operator,
        types,
        attributes,
        ..
    } = exercise;
    assert_eq!(format!("{operator} {types:?} {attributes:?}"), expected);
}

#[test]
fn a_use_has_version_types_and_values() {
    let texts =
        |texts: &[&str]| AttributeValue::Strings(texts.iter().map(|text| text.as_bytes().to_vec()).collect());
    check(
        "Softmax",
        12,
        &[("axis", AttributeValue::Int(-1))],
        r#"Softmax-11 {"T": ["float"]} {"axis": ["-1"]}"#,
    );
    check(
        "Transpose",
        13,
        &[("perm", AttributeValue::Ints(vec![1, 0]))],
        r#"Transpose-13 {"T": ["float"]} {"perm": ["[1, 0]"]}"#,
    );
    // A list of enumerated values gives its elements; a long list of others gives only the attribute.
    check(
        "RNN",
        14,
        &[
            ("activations", texts(&["Tanh", "Relu", "Tanh"])),
            ("hidden_size", AttributeValue::Int(4)),
        ],
        r#"RNN-14 {"T": ["float"]} {"activations": ["Relu", "Tanh"], "hidden_size": ["4"]}"#,
    );
    check(
        "Transpose",
        1,
        &[(
            "perm",
            AttributeValue::Ints((0..99).map(|axis| axis * 1_000_000).collect()),
        )],
        r#"Transpose-1 {"T": ["float"]} {"perm": []}"#,
    );
    // Attributes that the specification does not declare are not part of a use.
    check(
        "Abs",
        13,
        &[("axis", AttributeValue::Int(1))],
        r#"Abs-13 {"T": ["float"]} {}"#,
    );
}

/// An omitted input has an empty name.
#[test]
fn a_use_has_the_optional_inputs_that_are_given() {
    let info = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::tensor(DType::Float)),
    };
    let node = Node {
        operator: "Clip".to_owned(),
        inputs: ["x", "", "most"].map(str::to_owned).to_vec(),
        outputs: vec!["y".to_owned()],
        ..Node::default()
    };
    let graph = Graph {
        inputs: vec![info("x"), info("most")],
        outputs: vec![info("y")],
        nodes: vec![node],
        ..Graph::default()
    };
    let [exercise] = exercises(&Model::new(13, graph)).try_into().expect("one use");
    assert_eq!(exercise.optional, ["max"]);
}
