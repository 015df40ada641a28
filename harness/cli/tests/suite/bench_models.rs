//! `bench` and `gate --latency` as commands on the user's models. The mock worker reports fixed times,
//! so that no verdict depends on a clock.

use std::fs;

use crate::models::*;
use crate::program::MOCK;
use onnx_model::{Graph, encode_value};
use onnx_tensor::{Dim, Tensor, Value};
use run_record::Report;
use run_record::{CheckedBy, LatencyRecord, Weights};

/// A folder with `net.onnx`, as in [`Bench::new`], and `copy.onnx`, y = x of [batch, 3], which the mock
/// worker answers.
pub fn place() -> Bench {
    let bench = Bench::new();
    let shape = [Dim::Named("batch".to_owned()), Dim::Fixed(3)];
    let mut copy = model();
    copy.graph = std::sync::Arc::new(Graph {
        inputs: vec![info("x", &shape)],
        outputs: vec![info("y", &shape)],
        nodes: vec![node("only", "Identity", &["x"], "y")],
        ..Graph::default()
    });
    fs::write(bench.at("copy.onnx"), copy.encode()).expect("a model");
    bench
}

/// A backend that answers `copy.onnx` and reports these times in nanoseconds.
pub fn timed(name: &str, times: &str) -> String {
    format!("{name}='cmd:{MOCK} times {times}'")
}

pub fn report(bench: &Bench, out: &str) -> Report {
    Report::read(&bench.at(out)).unwrap_or_else(|error| panic!("{error}"))
}

pub fn only(report: &Report) -> &LatencyRecord {
    match report.latencies.as_slice() {
        [record] => record,
        records => panic!("{records:?}"),
    }
}

#[test]
fn a_model_file_is_measured_with_drawn_inputs() {
    let bench = place();
    let backend = timed("b", "1000000");
    let line = format!("bench copy.onnx --backend {backend} --rounds 2 --samples 8 --out out");
    let drawn = "copy: drawn input x: normal, float[1,3] (seed 0)";
    check(
        &bench,
        &line,
        0,
        &[drawn, "copy: dimension batch = 1 (default)", "1.00 ms"],
    );
    let report = report(&bench, "out");
    let record = only(&report);
    assert_eq!(
        (record.model.as_str(), record.weights, record.samples),
        ("copy", Weights::Own, 16)
    );
    assert_eq!(
        (record.checked_by, record.outputs_ok),
        (CheckedBy::Reference, true)
    );
    assert_eq!(record.round_ns, [1_000_000; 2]);
    assert_eq!(record.dims.get("batch"), Some(&1));
    let source = record.source.as_ref().expect("a source");
    assert!(
        source.path.ends_with("/copy.onnx") && source.sha256.len() == 64,
        "{source:?}"
    );
    assert!(report.machine.is_some());
}

#[test]
fn each_extent_of_a_dimension_is_measured() {
    let bench = place();
    let bench_copy = format!(
        "bench copy.onnx --backend {} --rounds 2 --out out",
        timed("b", "1000000")
    );
    let line = format!("{bench_copy} --dim batch=1,4");
    check(
        &bench,
        &line,
        0,
        &["copy (batch=1)", "copy (batch=4)", "float[4,3]"],
    );
    let report = report(&bench, "out");
    let extents: Vec<_> = report
        .latencies
        .iter()
        .map(|record| record.dims["batch"])
        .collect();
    assert_eq!(extents, [1, 4]);
    check(&bench, &format!("{bench_copy} --shape x=5x3"), 0, &["float[5,3]"]);
    let file: Vec<u8> = [1.0_f32, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(bench.at("x.npy"), npy("<f4", "(1, 3)", &file)).expect("a file");
    check(
        &bench,
        &format!("{bench_copy} --input x=x.npy"),
        0,
        &["dimension batch = 1 (an input)"],
    );
}

#[test]
fn a_folder_with_data_sets_uses_their_inputs() {
    let bench = place();
    let set = bench.at("cases/net/test_data_set_0");
    fs::create_dir_all(&set).expect("a folder");
    fs::copy(bench.at("copy.onnx"), bench.at("cases/net/model.onnx")).expect("a model");
    let values = Tensor::new(&[2, 3], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("a tensor");
    for file in ["input_0.pb", "output_0.pb"] {
        fs::write(set.join(file), encode_value(&Value::from(values.clone()), "")).expect("a value");
    }
    let line = format!(
        "bench cases --backend {} --rounds 2 --out out",
        timed("b", "1000000")
    );
    check(
        &bench,
        &line,
        0,
        &["net: inputs from 1 of 1 data sets beside the model"],
    );
}

#[test]
fn the_samples_of_a_folder_are_the_inputs() {
    let bench = place();
    let folder = bench.at("samples");
    fs::create_dir(&folder).expect("a folder");
    let sample = |name: &str, shape: &[usize], first: f32| {
        let elements = (0..shape.iter().product::<usize>()).map(|number| first + number as f32);
        let value = Tensor::new(shape, elements.collect::<Vec<_>>()).expect("a tensor");
        fs::write(folder.join(name), encode_value(&Value::from(value), "")).expect("a file");
    };
    // The second has another shape, and the last one is not needed.
    sample("0.pb", &[2, 3], 1.0);
    sample("1.pb", &[1, 3], 1.0);
    for number in 2..6_u8 {
        sample(&format!("{number}.pb"), &[2, 3], f32::from(number));
    }
    let backend = timed("b", "1000000");
    let line =
        format!("bench copy.onnx --input x=samples --backend {backend} --rounds 2 --samples 8 --out out");
    check(
        &bench,
        &line,
        0,
        &[
            "copy: inputs from 4 of 6 samples",
            "copy: dimension batch = 2 (an input)",
        ],
    );
    let source = only(&report(&bench, "out")).source.clone();
    assert_eq!(source.expect("a source").inputs, ["x=samples"]);

    fs::create_dir(bench.at("empty")).expect("a folder");
    check(
        &bench,
        &format!("bench copy.onnx --input x=empty --backend {backend} --out out2"),
        2,
        &["the folder has no file with values"],
    );
}

#[test]
fn a_wrong_answer_has_no_latency() {
    let bench = place();
    let line = "bench net.onnx --backend faulty=FAULTY --rounds 2 --out out";
    check(
        &bench,
        line,
        7,
        &[
            "inconclusive: net, faulty",
            "round 1, run after the load, input 0: ",
            "wrong outputs",
        ],
    );
}

#[test]
fn without_the_reference_outputs_are_compared_with_the_first_runs() {
    let bench = place();
    let backend = timed("b", "1000000");
    let line = format!("bench copy.onnx --backend {backend} --reference-time 0.000001 --out out");
    check(
        &bench,
        &line,
        0,
        &[
            "the reference answers for 0 of 4 inputs",
            "with their own first runs",
        ],
    );
    assert_eq!(only(&report(&bench, "out")).checked_by, CheckedBy::FirstRun);
}

#[test]
fn a_ranking_has_only_times_of_computations() {
    let bench = place();
    let (cached, honest) = (timed("cached", "1000000,1000,1000"), timed("honest", "1000000"));
    let line = format!("backends choose copy.onnx --noise 0 --backend {cached} --backend {honest}");
    let ended = bench.run(&format!("{line} --format json"));
    let found: serde_json::Value = serde_json::from_str(&ended.stdout).expect("a document");
    let ranking = &found["ranking"];
    assert_eq!(
        (&ranking[0]["backend"], &ranking[0]["run_ns"]),
        (&"honest".into(), &1_000_000.into()),
        "{found}"
    );
    assert_eq!(ranking[1]["backend"], "cached", "{found}");
    assert!(ranking[1].get("run_ns").is_none(), "{found}");
    let why = "right, without a latency: runs on inputs that were used before take 0 % of the time";
    check(&bench, &line, 0, &[why]);
}

/// A backend that knows the inputs when it loads the model may have computed the outputs then.
#[test]
fn a_comparison_has_no_time_of_a_backend_that_knows_the_inputs_at_load() {
    let bench = place();
    let line = |role: &str| format!("compare copy.onnx --noise 0 --backend b='cmd:{MOCK} {role} y'");
    check(&bench, &line("as"), 0, &["first run"]);
    let ended = check(&bench, &line("folds"), 0, &["right, exact"]);
    assert!(!ended.stdout.contains("first run"), "{}", ended.stdout);
}

/// Checks the reported evidence of caching for a backend with these times; empty if it computes.
#[track_caller]
fn check_caching(times: &str, rounds: u32, caching: &str) {
    let bench = place();
    let backend = timed("b", times);
    let line = format!("bench copy.onnx --backend {backend} --rounds {rounds} --out out");
    let code = if caching.is_empty() { 0 } else { 7 };
    check(&bench, &line, code, &[caching]);
    let report = report(&bench, "out");
    let record = only(&report);
    assert_eq!(record.caching, caching);
    assert_eq!(record.valid_median_ns().is_some(), caching.is_empty());
    assert!(record.outputs_ok, "{}", record.reason);
}

#[test]
fn a_backend_that_caches_has_no_latency() {
    check_caching("1000000", 8, "");
    let repeated = "runs on one repeated input take 2 % of the time of runs on varied inputs";
    check_caching("1000000,1000000,20000", 8, repeated);
    // With few rounds, each round has several comparisons.
    check_caching("1000000,1000000,20000", 2, repeated);
    let seen = "runs on inputs that were used before take 2 % of the time of runs on new ones";
    check_caching("1000000,20000,20000", 8, seen);
}

#[test]
fn a_model_without_inputs_that_vary_has_no_latency() {
    let bench = place();
    let zeros = npy("<f4", "(1, 3)", &[0; 12]);
    fs::write(bench.at("x.npy"), zeros).expect("a file");
    let line = format!(
        "bench copy.onnx --input x=x.npy --backend {} --out out",
        timed("b", "1000000")
    );
    check(&bench, &line, 7, &["no input can be varied"]);
}

#[test]
fn wrong_input_is_one_clear_line() {
    let bench = place();
    fs::write(bench.at("ids.npy"), npy("<i8", "(1, 3)", &[0; 24])).expect("a file");
    fs::write(bench.at("no-model.onnx"), "no model").expect("a file");
    fs::create_dir(bench.at("empty")).expect("a folder");
    for (arguments, code, part) in [
        (
            "nosuch",
            2,
            "no model `nosuch`: there is no such file or folder, and the light models are bvlc_alexnet",
        ),
        ("nosuch.onnx net.onnx", 2, "no model `nosuch.onnx`"),
        ("no-model.onnx", 2, "cannot decode the model"),
        ("empty", 4, "no model in `empty`"),
        (
            "net.onnx --shape x=2x4",
            2,
            "input `x`: shape 2x4 does not fit tensor(float)[batch, 3]",
        ),
        (
            "net.onnx --shape x=2",
            2,
            "input `x`: shape 2 does not fit tensor(float)[batch, 3]",
        ),
        ("net.onnx --shape y=2x3", 2, "no input `y`; the inputs are `x`"),
        (
            "net.onnx --shape x",
            2,
            "`x` is not of the form INPUT=EXTENTxEXTENT…",
        ),
        (
            "net.onnx --shape x=2x3 --dim batch=1",
            2,
            "dimension `batch` has the extents 1 (--dim) and 2 (--shape)",
        ),
        (
            "net.onnx --dim batch",
            2,
            "`batch` is not of the form NAME=N or NAME=N,N,…",
        ),
        ("net.onnx --dim batch=", 2, "`batch=` is not of the form"),
        ("net.onnx --dim batch=1,x", 2, "`batch=1,x` is not of the form"),
        (
            "net.onnx --dim rows=1",
            2,
            "no symbolic dimension `rows`; the inputs have `batch`",
        ),
        (
            "net.onnx --input x=ids.npy",
            2,
            "input `x`: expected tensor(float)[batch, 3], ids.npy holds tensor(int64)[1, 3]",
        ),
        ("net.onnx --input x=missing.npy", 2, "missing.npy: "),
        (
            "net.onnx --input x=ids.npy --dim batch=2",
            2,
            "expected tensor(float)",
        ),
        ("resnet50 --dim batch=1", 2, "the light models have fixed inputs"),
        ("--dim batch=1", 2, "required"),
        ("net.onnx --zoo light", 2, "cannot be used with"),
        ("net.onnx --against nosuch", 6, "nosuch"),
        ("net.onnx --against empty", 2, "run.jsonl"),
        ("net.onnx --aa --against RIGHT", 2, "cannot be used with"),
        (
            "net.onnx --backend AGAIN --against RIGHT",
            2,
            "--against compares one backend",
        ),
        (
            "net.onnx --against RIGHT --alpha 0",
            2,
            "`0` is not a probability from",
        ),
        (
            "net.onnx --against RIGHT --margin x",
            2,
            "`x` is not a percentage from",
        ),
    ] {
        let line = format!("bench --backend RIGHT --out out {arguments}");
        let ended = check(&bench, &line, code, &[part]);
        assert!(ended.stdout.is_empty(), "{arguments}: {}", ended.stdout);
        assert!(!bench.at("out/run.jsonl").exists(), "{arguments}");
    }
}

#[test]
fn a_model_that_cannot_be_opened_does_not_affect_others() {
    let bench = place();
    fs::create_dir(bench.at("nets")).expect("a folder");
    fs::copy(bench.at("copy.onnx"), bench.at("nets/a.onnx")).expect("a model");
    fs::write(bench.at("nets/b.onnx"), "no model").expect("a file");
    let line = format!(
        "bench nets --backend {} --rounds 2 --out out",
        timed("b", "1000000")
    );
    check(&bench, &line, 2, &["cannot decode the model", "| a "]);
    assert_eq!(only(&report(&bench, "out")).model, "a");
}
