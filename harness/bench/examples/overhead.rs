//! Measures what the protocol costs: the time of a round trip minus the time of the run in the worker,
//! for a model of one Identity over tensors of several sizes.
//!
//! `cargo run -p harness-bench --example overhead -- target/debug/onnx-worker-native`
//!
//! Besides the frames, a round trip encodes and decodes the input and the output, so the time grows
//! with their bytes: the overhead of the protocol is the time for a scalar.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::Load;
use harness_console::outln;
use harness_worker::{Cancel, Worker, WorkerSpec};
use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Tensor, Value, ValueType};

/// The measured round trips for each size, after as many that are not measured.
const RUNS: usize = 2000;

/// The numbers of elements of the tensor, each a float.
const SIZES: [usize; 4] = [1, 1_000, 100_000, 1_000_000];

fn main() -> Result<(), Box<dyn Error>> {
    let program = std::env::args().nth(1).ok_or("usage: overhead WORKER")?;
    let spec = Arc::new(WorkerSpec::new("worker", program));
    let cancel = Cancel::on_signals()?;
    for size in SIZES {
        let median = overhead(&spec, &cancel, size)?;
        let bytes = 2 * size * size_of::<f32>();
        outln(format_args!(
            "{bytes} bytes of tensors: {:.1} µs",
            median.as_secs_f64() * 1e6
        ))?;
    }
    Ok(())
}

/// The median over all runs.
fn overhead(spec: &Arc<WorkerSpec>, cancel: &Cancel, size: usize) -> Result<Duration, Box<dyn Error>> {
    let mut worker = Worker::start(Arc::clone(spec), cancel.clone())?;
    let deadline = Instant::now() + Duration::from_secs(120);
    let load = Load {
        model: identity().encode().into(),
        folder: None,
        files: Vec::new(),
        inputs: Vec::new(),
    };
    let session = worker.load(load, deadline)??.session;
    let runs = (RUNS / (1 + size / 10_000)).max(20);
    let mut times = Vec::with_capacity(runs);
    for run in 0..2 * runs {
        let x = Value::Tensor(Tensor::vector(vec![run as f32; size]));
        let start = Instant::now();
        let ran = worker.run(session, vec![("x".to_owned(), x)], deadline)??;
        let elapsed = start.elapsed();
        if run >= runs {
            times.push(elapsed.saturating_sub(Duration::from_nanos(ran.nanoseconds)));
        }
    }
    times.sort_unstable();
    Ok(times[runs / 2])
}

fn identity() -> Model {
    let info = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::tensor(DType::Float)),
    };
    let node = Node {
        operator: "Identity".to_owned(),
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
    Model::new(13, graph)
}
