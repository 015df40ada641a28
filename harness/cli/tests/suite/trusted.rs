//! Tests of `--trust`: a backend judges where the reference does not answer.

use crate::models::*;
use crate::program::MOCK;
use onnx_model::{Graph, Node};
use onnx_tensor::Dim;
use std::fs;

/// A model with an operator that the reference does not know; two backends give x as the output of this name.
fn contributed() -> Bench {
    let bench = Bench::new();
    let shape = [Dim::Fixed(1), Dim::Fixed(3)];
    let mut copy = model();
    copy.opset_imports.insert("com.example".to_owned(), 1);
    let node = Node {
        domain: "com.example".to_owned(),
        ..node("only", "Copy", &["x"], "y")
    };
    copy.graph = std::sync::Arc::new(Graph {
        inputs: vec![info("x", &shape)],
        outputs: vec![info("y", &shape)],
        nodes: vec![node],
        ..Graph::default()
    });
    fs::write(bench.at("odd.onnx"), copy.encode()).expect("a model");
    bench
}

#[test]
fn a_trusted_backend_judges_where_the_reference_does_not_answer() {
    let bench = contributed();
    let (trusted, other) = (format!("t='cmd:{MOCK} as y'"), format!("o='cmd:{MOCK} as z'"));
    let compare = format!("compare odd.onnx --noise 0 --backend {other} --backend {trusted}");
    check(&bench, &compare, 4, &["the right outputs are unknown"]);
    let ended = check(
        &bench,
        &format!("{compare} --trust {trusted} --out report"),
        1,
        &[
            "the expected outputs are those of `t`, which you trust; nothing verifies them",
            "WRONG, if `t` is",
            "trusted, not judged",
        ],
    );
    assert!(!ended.stdout.contains("right, exact"), "{}", ended.stdout);
    for file in [
        "report/report.html",
        "report/summary.json",
        "report/cases/models/odd/expected-outputs.txt",
    ] {
        let text = fs::read_to_string(bench.at(file)).expect("a file");
        assert!(text.contains("trust"), "{file}");
    }
    let only = format!("compare odd.onnx --noise 0 --backend {trusted} --trust {trusted}");
    check(
        &bench,
        &only,
        2,
        &["`t` is trusted, not judged: name another backend"],
    );
    check(
        &bench,
        &format!("compare net.onnx odd.onnx --noise 0 --backend RIGHT --trust {trusted}"),
        2,
        &["compare them separately"],
    );

    let same = format!("--backend {trusted} --trust {trusted}");
    check(
        &bench,
        &format!("locate odd.onnx {same}"),
        2,
        &["is trusted, so that it is not judged"],
    );
    let judged = format!("--backend {other} --trust {trusted}");
    check(
        &bench,
        &format!("locate odd.onnx {judged}"),
        1,
        &["of `t` (trusted)", "which you trust"],
    );
    check(
        &bench,
        &format!("reduce odd.onnx {judged} --out small"),
        0,
        &["(expected values of `t`, trusted)"],
    );
    check(
        &bench,
        &format!("keep small --to kept --on {other}"),
        2,
        &["give --trust BACKEND"],
    );
    check(
        &bench,
        &format!("keep small --to kept --on {other} --trust {trusted}"),
        0,
        &["wrote kept/issues/"],
    );
    let issue = fs::read_dir(bench.at("kept/issues"))
        .expect("a folder")
        .next()
        .expect("a file")
        .expect("an entry");
    let issue = fs::read_to_string(issue.path()).expect("a text");
    assert!(issue.contains("which the user trusts"), "{issue}");
    let choose =
        format!("backends choose odd.onnx --noise 0 --backend {other} --backend {trusted} --trust {trusted}");
    check(&bench, &choose, 1, &["trusted, not judged", "WRONG"]);
}
