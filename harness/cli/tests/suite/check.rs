//! Tests of the command `check`: output and exit code.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, ValueType};

/// A model of one node.
fn model(operator: &str) -> Vec<u8> {
    let info = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(Vec::new()),
        }),
    };
    let node = Node {
        operator: operator.to_owned(),
        inputs: vec!["x".to_owned()],
        outputs: vec!["y".to_owned()],
        ..Node::default()
    };
    let graph = Graph {
        name: "g".to_owned(),
        inputs: vec![info("x")],
        outputs: vec![info("y")],
        nodes: vec![node],
        ..Graph::default()
    };
    let model = Model::new(13, graph);
    model.encode()
}

fn check(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_onnx-conformance");
    let mut command = Command::new(program);
    command
        .arg("check")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

#[test]
fn findings_go_to_stdout_and_have_another_exit_code_than_unreadable_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in [
        ("good.onnx", model("Relu")),
        ("bad.onnx", model("Nonsense")),
        ("none.onnx", b"none".to_vec()),
    ] {
        fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let bad = "bad.onnx: 1 finding\n  main graph\n    node `#0 → y` (Nonsense)\n      operator-unknown: there is no operator \
        `Nonsense` at opset 13 of domain `ai.onnx` [IR.md, Operators]\n";
    let cases = [
        (&["good.onnx"][..], 0, "good.onnx: no findings\n".to_owned()),
        (&["bad.onnx"], 1, bad.to_owned()),
        (
            &["bad.onnx", "none.onnx", "good.onnx"],
            2,
            format!("{bad}good.onnx: no findings\n"),
        ),
        (&[], 2, String::new()),
    ];
    for (arguments, code, stdout) in cases {
        let output = check(folder.path(), arguments);
        assert_eq!(
            (
                output.status.code(),
                String::from_utf8_lossy(&output.stdout).as_ref()
            ),
            (Some(code), stdout.as_str())
        );
    }
}

#[test]
fn the_document_is_versioned_and_keeps_its_names() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bad.onnx"), model("Nonsense")).expect("a file");
    let output = check(folder.path(), &["bad.onnx", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected = serde_json::json!({
        "version": 1,
        "models": [{
            "path": "bad.onnx",
            "omitted": 0,
            "findings": [{
                "rule": "operator-unknown",
                "section": "IR.md, Operators",
                "graph": "main graph",
                "node": "#0 → y",
                "operator": "Nonsense",
                "since": null,
                "message": "there is no operator `Nonsense` at opset 13 of domain `ai.onnx`",
            }],
        }],
    });
    assert_eq!(found, expected);
}

#[test]
fn sarif_names_each_rule_file_and_node() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a b.onnx"), model("Nonsense")).expect("a file");
    fs::write(folder.path().join("none.onnx"), b"none").expect("a file");
    let output = check(folder.path(), &["a b.onnx", "none.onnx", "--format", "sarif"]);
    assert_eq!(output.status.code(), Some(2));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["version"], "2.1.0");
    let run = &found["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "operator-unknown");
    let result = &run["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["ruleIndex"]),
        (&"operator-unknown".into(), &0.into())
    );
    assert_eq!(
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "a%20b.onnx"
    );
    let node = &result["locations"][0]["logicalLocations"][0];
    assert_eq!(node["fullyQualifiedName"], "main graph/#0 → y");
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(
        invocation["toolExecutionNotifications"].as_array().map(Vec::len),
        Some(1)
    );
}

/// A reader of SARIF shows strings as they are.
#[test]
fn sarif_has_no_hidden_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.onnx"), model("Non\u{202e}sense\u{200b}")).expect("a file");
    let output = check(folder.path(), &["a.onnx", "--format", "sarif"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = &found["runs"][0]["results"][0]["message"]["text"];
    let text = text.as_str().expect("a message");
    assert!(text.contains(r"Non\u{202e}sense\u{200b}"), "{text}");
}

#[test]
fn the_models_in_a_folder_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("good.onnx"), model("Relu")).expect("a model");
    fs::write(folder.path().join("odd.onnx"), model("Relux")).expect("a model");
    fs::write(folder.path().join("notes.txt"), "no model").expect("a text");
    let found = check(folder.path(), &["."]);
    let said = String::from_utf8_lossy(&found.stdout).into_owned();
    assert_eq!(found.status.code(), Some(1), "{said}");
    assert!(
        said.contains("good.onnx: no findings") && said.contains("odd.onnx: 1 finding"),
        "{said}"
    );
    let text = check(folder.path(), &["notes.txt"]);
    let said = String::from_utf8_lossy(&text.stderr).into_owned();
    assert_eq!(text.status.code(), Some(2), "{said}");
    assert!(said.contains("not an ONNX file"), "{said}");
}
