//! Each operator version is exercised by a case with independent expected outputs: an official or an own
//! one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use onnx_interpreter::Limits;
use onnx_model::{Graph, Model, Node};
use onnx_tests::gaps::exercised;
use onnx_tests::versions::{OFFICIAL, listed};

#[test]
fn every_operator_version_has_a_case_or_a_reason() {
    let official = listed(OFFICIAL);
    let cases = exercised().expect("own cases are well formed");
    let excused = excused();
    let known: BTreeSet<String> = onnx_schema::all().map(ToString::to_string).collect();

    let exercised = |version: &String| cases.contains(version);
    let open: Vec<_> = known
        .iter()
        .filter(|version| !exercised(version) && !excused.contains_key(*version))
        .collect();
    assert!(
        open.is_empty(),
        "no case exercises {open:?}: write one in onnx-tests/own, or a reason into excused-versions.toml"
    );
    let needless: Vec<_> = excused
        .iter()
        .filter(|(version, reason)| exercised(version) || !known.contains(*version) || reason.is_empty())
        .collect();
    assert!(needless.is_empty(), "excused without need: {needless:?}");
    let unknown: Vec<_> = official
        .keys()
        .filter(|version| !known.contains(**version))
        .collect();
    assert!(unknown.is_empty(), "not in the table of operators: {unknown:?}");
}

fn excused() -> BTreeMap<String, String> {
    toml::from_str(include_str!("../../excused-versions.toml")).expect("a table of reasons")
}

/// A version without expected outputs must be refused.
#[test]
fn the_excused_versions_are_deprecated_and_the_reference_refuses_them() {
    let excused = excused();
    for schema in onnx_schema::all().filter(|schema| excused.contains_key(&schema.to_string())) {
        let node = Node {
            domain: schema.domain.to_owned(),
            operator: schema.name.to_owned(),
            outputs: vec!["y".to_owned()],
            ..Node::default()
        };
        let graph = Graph {
            nodes: vec![node],
            ..Graph::default()
        };
        let model = Model {
            ir_version: 8,
            opset_imports: BTreeMap::from([(schema.domain.to_owned(), schema.since.into())]),
            graph: Arc::new(graph),
            functions: Vec::new(),
            producer_name: String::new(),
            producer_version: String::new(),
            oddities: Vec::new(),
        };
        let error = onnx_interpreter::run(&model, &[], Limits::default())
            .expect_err("refused")
            .to_string();
        assert!(error.contains("deprecated"), "{schema}: {error}");
    }
}

#[test]
fn the_list_of_official_cases_is_sorted_and_complete() {
    let lines: Vec<&str> = OFFICIAL.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.is_sorted(), "run `cargo xtask generate versions`");
    assert_eq!(
        listed(OFFICIAL).len(),
        lines.len(),
        "a line is malformed or occurs twice"
    );
}
