//! The harness has a long answer in memory only once. The test measures the peak memory of its process, so
//! that it runs in a process of its own.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::Load;
use harness_worker::{Cancel, Worker, WorkerSpec};

/// The number of elements of the answer.
const ELEMENTS: usize = 64 << 20;

/// The peak memory of this program in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("a peak");
    let kibibytes = line.trim().strip_suffix("kB").expect("kB").trim();
    kibibytes.parse::<usize>().expect("a number") << 10
}

/// The variable of the process that measures.
const ALONE: &str = "LONG_ANSWER_ALONE";

#[test]
fn a_long_answer_is_in_memory_once() {
    if std::env::var_os(ALONE).is_none() {
        let program = std::env::current_exe().expect("this program");
        let test = ["--exact", "long_answer::a_long_answer_is_in_memory_once"];
        let ran = Command::new(program)
            .args(test)
            .env(ALONE, "1")
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let spec = Arc::new(WorkerSpec::new("mock", env!("CARGO_BIN_EXE_mock-worker")));
    let mut worker = Worker::start(spec, Cancel::default()).expect("a worker");
    let deadline = || Instant::now() + Duration::from_secs(120);
    let load = Load {
        model: b"run:long".to_vec().into(),
        ..Load::default()
    };
    let loaded = worker
        .load(load, deadline())
        .expect("it lives")
        .expect("it loads");
    let before = peak();
    let ran = worker.run(loaded.session, Vec::new(), deadline());
    let ran = ran.expect("it lives").expect("it runs");
    let tensor = ran.outputs[0].1.as_tensor().expect("a tensor");
    assert_eq!(tensor.len(), ELEMENTS);
    let (taken, answer) = (peak() - before, ELEMENTS * size_of::<f32>());
    assert!(
        taken < answer + answer / 8,
        "{taken} bytes for an answer of {answer}"
    );
}
