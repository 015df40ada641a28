//! `bench --against` and `gate --latency`: a backend compared with an earlier one, by fixed times.

use crate::bench_models::{place, report, timed};
use crate::models::*;
use crate::program::MOCK;
use run_record::LatencyVerdict;
use std::fs;

/// Compares a backend with runs of `new` nanoseconds with one with runs of `old` nanoseconds.
#[track_caller]
fn check_against(new: &str, old: &str, code: i32, verdict: LatencyVerdict) {
    let bench = place();
    let (new, old) = (timed("new", new), timed("old", old));
    let line = format!("bench copy.onnx --backend {new} --against {old} --pairs 8 --out out");
    check(&bench, &line, code, &[&verdict.to_string()]);
    let report = report(&bench, "out");
    let [gate] = report.latency_gates.as_slice() else {
        panic!("{:?}", report.latency_gates);
    };
    assert_eq!(
        (gate.verdict, gate.backend.as_str(), gate.against.as_str()),
        (verdict, "new", "old")
    );
    assert_eq!(report.latencies.len(), 2);
}

#[test]
fn a_slower_backend_has_exit_code_3() {
    check_against("1050000", "1000000", 3, LatencyVerdict::Slower);
    check_against("1000000", "1000000", 0, LatencyVerdict::NotSlower);
    // Half of the margin.
    check_against("1010000", "1000000", 0, LatencyVerdict::NotSlower);
    // A latency that is not valid decides nothing.
    check_against(
        "1050000,1050000,10000",
        "1000000",
        7,
        LatencyVerdict::Inconclusive,
    );
}

#[test]
fn the_old_backend_can_be_one_of_the_configuration_file() {
    let bench = place();
    let file = format!("[backends]\nold = \"cmd:{MOCK} times 1000000\"\n");
    fs::write(bench.at("onnx-conformance.toml"), file).expect("a file");
    for against in ["--against old", "--against=old"] {
        let new = timed("new", "1050000");
        let line = format!("bench copy.onnx --backend {new} {against} --pairs 8 --out out");
        check(&bench, &line, 3, &["error: copy, new against old, "]);
    }
}

#[test]
fn a_saved_bench_can_be_the_baseline() {
    let bench = place();
    let saved = format!(
        "bench copy.onnx --dim batch=1,2 --backend {} --out saved",
        timed("b", "1000000")
    );
    check(&bench, &saved, 0, &[]);
    let (equal, slower) = (timed("b", "1000000"), timed("b", "1050000"));
    for (command, new, code, part) in [
        (
            "bench copy.onnx --dim batch=1,2 --against saved",
            &equal,
            0,
            "not slower",
        ),
        (
            "bench copy.onnx --dim batch=1,2 --against saved",
            &slower,
            3,
            "+5.0 %",
        ),
        (
            "bench net.onnx --against saved",
            &equal,
            2,
            "has no series of model `net` on `b`",
        ),
        (
            "bench copy.onnx --dim batch=1,2 --seed 1 --against saved",
            &equal,
            2,
            "it was measured with other inputs",
        ),
        ("gate --latency saved", &equal, 0, "copy (batch=2)"),
        (
            "gate --latency saved",
            &slower,
            3,
            "error: copy (batch=1), b against saved",
        ),
    ] {
        let out = if command.starts_with("bench") {
            "--out out"
        } else {
            ""
        };
        check(
            &bench,
            &format!("{command} --backend {new} --pairs 8 {out}"),
            code,
            &[part],
        );
    }
    // Another file with the same name.
    fs::write(bench.at("copy.onnx"), model().encode()).expect("a model");
    check(
        &bench,
        &format!("gate --latency saved --backend {equal}"),
        2,
        &["the model file is not the one that was measured"],
    );
}

#[test]
fn a_bench_of_another_machine_is_an_error() {
    let bench = place();
    let backend = timed("b", "1000000");
    check(
        &bench,
        &format!("bench copy.onnx --backend {backend} --out saved"),
        0,
        &[],
    );
    let log = bench.at("saved/run.jsonl");
    let text = fs::read_to_string(&log).expect("a log");
    let machine = report(&bench, "saved").started.environment;
    let other = text.replace(&format!("\"cores\":{}", machine.cores), "\"cores\":4096");
    assert_ne!(text, other);
    fs::write(&log, crate::program::resealed(&other)).expect("a log");
    let part = "was measured on another machine: the count of processors was 4096";
    check(
        &bench,
        &format!("gate --latency saved --backend {backend}"),
        2,
        &[part],
    );
    check(
        &bench,
        &format!("bench copy.onnx --against saved --backend {backend} --out out"),
        2,
        &[part],
    );
}

#[test]
fn a_backend_compared_with_itself_shows_the_noise_of_the_machine() {
    let bench = place();
    let line = format!(
        "bench copy.onnx --aa --backend {} --pairs 8 --out out",
        timed("b", "1000000")
    );
    check(
        &bench,
        &line,
        0,
        &[
            "two measurements of the same backend differ by 0.0 %",
            "b (again)",
        ],
    );
}
