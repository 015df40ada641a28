//! Tests of commands that select a backend: `compare --matrix`, `check --who`, `backends choose`,
//! `backends claims`, and test cases by id.

use std::fs;

use crate::models::*;
use serde_json::Value;

/// The worker with a fault, as a backend that takes the option `fault`.
fn faulty() -> String {
    format!("'cmd:{FAULTY}'")
}

#[test]
fn every_combination_of_options_is_compared() {
    let bench = Bench::new();
    let line = format!("compare net.onnx --noise 0 --backend {}", faulty());
    let ended = check(
        &bench,
        &format!("{line} --matrix fault=none,nobody:swap,second:swap"),
        1,
        &[
            "3 combinations, 2 different answers",
            "none (right, exact) differs from second:swap (WRONG)",
        ],
    );
    assert!(
        !ended.stdout.contains("differs from nobody:swap"),
        "{}",
        ended.stdout
    );
    check(
        &bench,
        &format!("{line} --matrix fault=none,nobody:swap"),
        0,
        &["2 combinations, one answer", "fault: no difference"],
    );
    for (matrix, said) in [
        ("fault", "`fault` is not of the form KEY=V1,V2"),
        ("fault=none,none", "gives an option or a value twice"),
        ("colour=red,blue", "option `colour`: unknown"),
    ] {
        check(&bench, &format!("{line} --matrix {matrix}"), 2, &[said]);
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn who_can_run_a_model() {
    let bench = Bench::new();
    let mut named = model();
    std::sync::Arc::make_mut(&mut named.graph).name = "net".to_owned();
    fs::write(bench.at("net.onnx"), named.encode()).expect("a model");
    let refusing = format!("--backend 'cmd:{FAULTY} --opt fault=second:unsupported'");
    check(
        &bench,
        "check net.onnx --backend RIGHT",
        0,
        &["loads in", "unknown"],
    );
    check(
        &bench,
        &format!("check net.onnx --backend RIGHT {refusing}"),
        1,
        &["unsupported, first with `second` (Sub-13)"],
    );
    let ended = bench.run(&format!(
        "check net.onnx --format json --backend RIGHT {refusing}"
    ));
    let found = json(&ended.stdout);
    let backends = &found["models"][0]["backends"];
    assert_eq!(
        (&backends[0]["loads"], &backends[1]["loads"]),
        (&true.into(), &false.into()),
        "{found}"
    );
    assert_eq!(backends[1]["first_refused"]["node"], "second", "{found}");
    assert_eq!(backends[1]["verdict"], "unsupported", "{found}");
    // The reference is the only worker beside the program; PATH is empty.
    check(&bench, "check net.onnx --who", 0, &["reference"]);
    let plain = json(&bench.run("check net.onnx --format json").stdout);
    assert!(plain["models"][0].get("backends").is_none(), "{plain}");
    check(&bench, "check net.onnx --run nowhere", 2, &["run.jsonl"]);
    check(
        &bench,
        "check net.onnx --backend nobody",
        6,
        &["there is no executable"],
    );
}

#[test]
fn backends_are_ranked_for_a_model() {
    let bench = Bench::new();
    let line = "backends choose net.onnx --noise 0 --backend RIGHT --backend FAULTY";
    check(
        &bench,
        line,
        0,
        &[
            "the expected outputs are those of the reference",
            "right, and the fastest of the right ones",
            "WRONG",
        ],
    );
    let ended = bench.run(&format!("{line} --format json"));
    let found = json(&ended.stdout);
    let ranking = &found["ranking"];
    assert_eq!(
        (&ranking[0]["rank"], &ranking[0]["answer"]),
        (&1.into(), &"right, exact".into()),
        "{found}"
    );
    assert_eq!(
        (&ranking[1]["rank"], &ranking[1]["answer"]),
        (&Value::Null, &"WRONG".into()),
        "{found}"
    );
    assert!(ranking[0]["run_ns"].as_u64().is_some_and(|ns| ns > 0), "{found}");
    check(
        &bench,
        "backends choose net.onnx --noise 0 --backend FAULTY",
        1,
        &["WRONG"],
    );
    for (line, code, said) in [
        ("backends choose", 2, "required arguments"),
        (
            "backends choose nothing.onnx --backend RIGHT",
            2,
            "cannot read `nothing.onnx`",
        ),
        (
            "backends choose net.onnx --backend nobody",
            6,
            "there is no executable",
        ),
        (
            "backends choose net.onnx --backend RIGHT --dim rows=2",
            2,
            "no symbolic dimension `rows`",
        ),
    ] {
        check(&bench, line, code, &[said]);
    }
}

#[test]
fn a_backend_of_the_configuration_is_ranked_and_has_claims() {
    let bench = Bench::new();
    let file = format!("[backends]\nmine = \"cmd:{FAULTY} --opt fault=none\"\n");
    fs::write(bench.at("onnx-conformance.toml"), file).expect("a file");
    check(
        &bench,
        "backends choose net.onnx --noise 0",
        0,
        &["mine 1", "right, and the fastest of the right ones"],
    );
    let run = "conformance --builtin --filter own/Abs --noise 0 --no-bounds --out run --backend mine";
    check(&bench, run, 0, &[]);
    check(&bench, "backends claims run", 0, &["mine 1: "]);
}

/// The worker declares nothing, so that there are no claims.
#[test]
fn declarations_are_compared_with_a_run() {
    let bench = Bench::new();
    let run = "conformance --builtin --filter own/Abs --noise 0 --no-bounds --out run --backend RIGHT";
    check(&bench, run, 0, &[]);
    let claims = check(
        &bench,
        "backends claims run --csv claims.csv",
        0,
        &["0 under-claimed"],
    );
    assert!(claims.stdout.contains("over-claimed"), "{}", claims.stdout);
    let csv = fs::read_to_string(bench.at("claims.csv")).expect("a table");
    assert!(csv.starts_with("backend,operator,types,declared,pass"), "{csv}");
    assert!(csv.lines().any(|line| line.contains("Abs-")), "{csv}");
    check(&bench, "backends claims nothing", 2, &["nothing"]);
    check(
        &bench,
        "backends claims run --backend other=RIGHT",
        2,
        &["backend `other` is not in the run `run`"],
    );
}

#[test]
fn a_case_is_selected_by_its_id() {
    let bench = Bench::new();
    let line = format!(
        "bisect own/ReduceSumSquare/of_no_axes_over_large_integers-18 --backend {}",
        faulty()
    );
    check(
        &bench,
        &format!("{line} --over fault=none"),
        0,
        &["the answer is right with fault=none"],
    );
    check(
        &bench,
        "locate generated/Relu-14/T=float-0 --backend RIGHT",
        2,
        &["there is no generated case"],
    );
    check(
        &bench,
        "locate generated/Relu-14/float-0 --backend RIGHT",
        0,
        &["nothing to locate"],
    );
    check(
        &bench,
        "locate own/Nothing/at-1 --backend RIGHT",
        4,
        &["own/Nothing/at-1"],
    );
    check(
        &bench,
        "locate onnx-9.9.9/node/test_abs --backend RIGHT",
        2,
        &["9.9.9"],
    );
}
