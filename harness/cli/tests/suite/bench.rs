//! Runs a bench end to end, on workers that echo their inputs: right for Identity, wrong for any other
//! operator.

use std::fs;
use std::path::Path;
use std::time::Duration;

use harness_bench::{Plan, RunOptions, Task, Team, ToMeasure, run};
use harness_console::Progress;
use harness_corpus::Corpus;
use harness_worker::{Cancel, WorkerSpec};
use onnx_model::{Graph, Model, Node, ValueInfo, encode_value};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};
use run_record::Report;
use run_record::{LatencyRecord, RunLog, RunStarted, Weights};

/// A case in the official layout: `operator` on two floats.
fn write_case(folder: &Path, operator: &str, expected: [f32; 2]) {
    let info = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(vec![Dim::Fixed(2)]),
        }),
    };
    let node = Node {
        operator: operator.to_owned(),
        inputs: vec!["x".to_owned()],
        outputs: vec!["y".to_owned()],
        ..Node::default()
    };
    let graph = Graph {
        inputs: vec![info("x")],
        outputs: vec![info("y")],
        nodes: vec![node],
        ..Graph::default()
    };
    let model = Model::new(13, graph);
    let set = folder.join("test_data_set_0");
    fs::create_dir_all(&set).expect("a folder");
    fs::write(folder.join("model.onnx"), model.encode()).expect("a model");
    for (file, values) in [("input_0.pb", [1.0_f32, 2.0]), ("output_0.pb", expected)] {
        let value = Value::Tensor(Tensor::vector(values.to_vec()));
        fs::write(set.join(file), encode_value(&value, "")).expect("a value");
    }
}

/// The worker that echoes through `backend_api::serve`.
fn echo() -> WorkerSpec {
    let mut spec = WorkerSpec::new("echo", env!("CARGO_BIN_EXE_mock-worker"));
    spec.options.insert("threads".to_owned(), "1".to_owned());
    spec
}

/// A worker that loads and runs, but does not support benches.
fn deaf() -> WorkerSpec {
    let mut spec = WorkerSpec::new("deaf", env!("CARGO_BIN_EXE_mock-worker"));
    spec.args = vec!["as".to_owned(), "y".to_owned()];
    spec
}

/// Benches the case `test_it` on both workers, sorted by name.
fn bench(operator: &str, expected: [f32; 2], interleaved: bool) -> Vec<LatencyRecord> {
    let mut records = bench_all(vec![deaf(), echo()], operator, expected, interleaved).latencies;
    records.sort_by(|a, b| a.backend.cmp(&b.backend));
    records
}

/// Benches the case `test_it` on workers.
fn bench_all(backends: Vec<WorkerSpec>, operator: &str, expected: [f32; 2], interleaved: bool) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    write_case(&folder.path().join("test_it"), operator, expected);
    let corpus = Corpus::local(&folder.path().join("test_it")).expect("a case");
    let plan = Plan {
        models: corpus
            .cases()
            .iter()
            .map(|files| ToMeasure::light(files.clone(), Weights::Constant))
            .collect(),
        backends,
        missing: Vec::new(),
        reference: echo(),
        reference_budget: Duration::from_secs(60),
        threads: vec![1],
        seed: 1,
        options: RunOptions {
            rounds: 4,
            samples: 20,
            warmup: 1,
            interleaved,
            spinning: false,
            timeout: Duration::from_secs(60),
        },
        task: Task::Measure,
        started: RunStarted::default(),
    };
    let mut log = RunLog::create(&folder.path().join("run.jsonl")).expect("a log");
    let cancel = Cancel::default();
    let team = Team::start(&plan, &cancel).expect("workers");
    let report = run(&plan, team, &mut log, &cancel, Progress::Silent).expect("a report");
    assert!(report.complete);
    report
}

#[test]
fn a_latency_counts_only_if_the_outputs_are_right() {
    for interleaved in [true, false] {
        let [deaf, echo] = bench("Identity", [1.0, 2.0], interleaved)
            .try_into()
            .expect("two series");
        assert_eq!(
            (echo.model.as_str(), echo.threads, echo.interleaved),
            ("it", 1, interleaved)
        );
        assert_eq!((echo.samples, echo.rounds, echo.reason.as_str()), (80, 4, ""));
        assert!(echo.outputs_ok && echo.samples > 0);
        assert_eq!((echo.round_ns.len(), echo.rounds), (4, 4));
        assert!(echo.min_ns <= echo.median_ns && Some(echo.median_ns) <= echo.p90_ns);
        assert_eq!(echo.p99_ns, None, "80 runs are too few");

        assert_eq!((deaf.samples, deaf.valid_median_ns()), (0, None));
        assert_eq!(deaf.reason, "not supported: the mock does not do this");
    }
}

#[test]
fn a_missing_backend_does_not_affect_others() {
    let nowhere = WorkerSpec::new("nowhere", "/nowhere/worker");
    let report = bench_all(vec![echo(), nowhere], "Identity", [1.0, 2.0], true);
    assert_eq!(report.latencies.len(), 1);
    assert!(report.missing.contains_key("nowhere"), "{:?}", report.missing);
}

#[test]
fn a_wrong_output_is_reported_with_its_run() {
    let [_, echo] = bench("Neg", [-1.0, -2.0], true).try_into().expect("two series");
    assert!(!echo.outputs_ok && echo.samples == 80);
    assert!(
        echo.reason.starts_with("round 1, run after the load, input 0: "),
        "{}",
        echo.reason
    );
}
