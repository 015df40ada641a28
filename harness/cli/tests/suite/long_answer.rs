//! The harness holds a long answer in memory only once. The test is alone in this program because it
//! measures the peak memory.

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

#[test]
fn a_long_answer_is_in_memory_once() {
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
