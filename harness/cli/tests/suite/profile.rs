//! `profile` as a command.

use std::fs;

use crate::models::*;
use crate::program::MOCK;

/// The reference reports the times of its nodes; the files exist and contain them.
#[test]
fn a_backend_that_measures_its_steps_is_profiled() {
    let bench = Bench::new();
    let nodes: Vec<String> = model().graph.nodes.iter().map(|node| node.name.clone()).collect();
    let line = "profile net.onnx --backend RIGHT --runs 3 --no-peak --top 50 --out out";
    let said: Vec<&str> = nodes
        .iter()
        .map(String::as_str)
        .chain(["longest nodes", "(median of 3)"])
        .collect();
    check(&bench, line, 0, &said);
    for name in [
        "profile.csv",
        "profile.html",
        "profile-trace.json",
        "graph.html",
        "pictures/operator-time.svg",
    ] {
        let text =
            fs::read_to_string(bench.at("out").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let missing = nodes.iter().find(|node| !text.contains(node.as_str()));
        assert!(
            missing.is_none() || name.starts_with("pictures"),
            "{name}: no {missing:?}"
        );
    }
}

/// Each node is run alone; the one with the planted fault is wrong, and the graph says so.
#[test]
fn nodes_are_checked_alone() {
    let bench = Bench::new();
    check(
        &bench,
        "profile net.onnx --backend right=RIGHT --backend faulty=FAULTY --runs 1 --no-peak --check --out out",
        0,
        &["faulty"],
    );
    let page = fs::read_to_string(bench.at("out/graph.html")).expect("the page");
    for part in ["error, right", "support, faulty", "WRONG", "right, exact"] {
        assert!(page.contains(part), "no `{part}`");
    }
}

/// A worker without the request does not stop the command: the others are profiled, and the exit
/// code shows it.
#[test]
fn a_backend_without_profiles_says_so() {
    let bench = Bench::new();
    let line =
        format!("profile net.onnx --backend RIGHT --backend none='cmd:{MOCK} slow 1' --runs 1 --no-peak");
    check(&bench, &line, 1, &["none: no profile: ", "longest nodes"]);
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let bench = Bench::new();
    fs::write(bench.at("text.onnx"), "no model").expect("a file");
    for (line, code) in [
        ("profile text.onnx --backend RIGHT", 2),
        ("profile absent.onnx --backend RIGHT", 2),
        ("profile net.onnx --backend RIGHT --runs 0", 2),
        ("profile net.onnx --backend RIGHT --threads 0", 2),
        ("profile net.onnx --backend RIGHT --dim nobody=3", 2),
        ("profile net.onnx --backend cmd:./absent --no-peak", 6),
    ] {
        let ended = bench.run(line);
        assert_eq!(ended.code, Some(code), "{line}: {}", ended.stderr);
    }
}
