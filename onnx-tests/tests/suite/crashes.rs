//! Models that crash, hang or overload current runtimes, among healthy ones: each is classified
//! correctly, and every healthy one is answered by the same workers.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use backend_api::Named;
use backend_api::protocol::Load;
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::backend;
use harness_worker::{
    Cancel, Completion, Declined, Failure, Outcome, Pool, Reply, Worker, WorkerExit, WorkerExitKind,
    WorkerSpec,
};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Tensor, Value, ValueType};
use rustix::process::{Pid, test_kill_process};

const SIGABRT: i32 = 6;
const SIGFPE: i32 = 8;

/// The expected result of a job.
#[derive(Clone, Debug)]
enum Expect {
    /// This tensor.
    Answer(Tensor),
    /// Both workers are killed by this signal.
    Crash(i32),
    /// Neither worker answers before the deadline.
    Timeout,
    /// A typed error, with this text in its message.
    Error(&'static str),
}

struct Job {
    model: Vec<u8>,
    inputs: Vec<Named>,
    expect: Expect,
}

impl Job {
    /// A model whose only output is `y`, of the type of its first input.
    fn new<const N: usize>(nodes: Vec<Node>, inputs: [(&str, Tensor); N], expect: Expect) -> Job {
        let dtype = inputs.first().map_or(DType::Float, |(_, tensor)| tensor.dtype());
        let graph = Graph {
            name: "deadly".to_owned(),
            inputs: inputs
                .iter()
                .map(|(name, tensor)| declare(name, tensor))
                .collect(),
            outputs: vec![ValueInfo {
                name: "y".to_owned(),
                value_type: Some(ValueType::tensor(dtype)),
            }],
            nodes,
            ..Graph::default()
        };
        let model = Model {
            ir_version: 10,
            ..Model::new(23, graph)
        };
        Job {
            model: model.encode(),
            inputs: inputs
                .map(|(name, tensor)| (name.to_owned(), Value::Tensor(tensor)))
                .into(),
            expect,
        }
    }

    fn healthy(number: f32) -> Job {
        let input = Tensor::vector(vec![-number]);
        let answer = Expect::Answer(Tensor::vector(vec![number]));
        Job::new(vec![node("Neg", &["x"])], [("x", input)], answer)
    }
}

/// An input without a shape: the fault must occur in a run, not in type inference.
fn declare(name: &str, tensor: &Tensor) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::tensor(tensor.dtype())),
    }
}

fn node(operator: &str, inputs: &[&str]) -> Node {
    Node {
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|&name| name.to_owned()).collect(),
        outputs: vec!["y".to_owned()],
        ..Node::default()
    }
}

fn with(mut node: Node, name: &str, value: AttributeValue) -> Node {
    node.attributes.push(Attribute {
        name: name.to_owned(),
        value,
    });
    node
}

/// An integer division with inputs, so that no optimizer sees the values.
fn divide(dividend: i32, divisor: i32, expect: Expect) -> Job {
    let inputs = [
        ("a", Tensor::vector(vec![dividend])),
        ("b", Tensor::vector(vec![divisor])),
    ];
    Job::new(vec![node("Div", &["a", "b"])], inputs, expect)
}

/// A loop without trip count, whose condition stays true.
fn endless_loop(expect: Expect) -> Job {
    let typed = |name: &str, dtype| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype,
            shape: Some(Vec::new()),
        }),
    };
    let copy = |from: &str, to: &str| Node {
        outputs: vec![to.to_owned()],
        ..node("Identity", &[from])
    };
    let body = Graph {
        name: "body".to_owned(),
        inputs: vec![
            typed("step", DType::Int64),
            typed("go", DType::Bool),
            typed("value", DType::Float),
        ],
        outputs: vec![typed("go_on", DType::Bool), typed("next", DType::Float)],
        nodes: vec![copy("go", "go_on"), copy("value", "next")],
        ..Graph::default()
    };
    let node = with(
        node("Loop", &["", "condition", "x"]),
        "body",
        AttributeValue::Graph(Arc::new(body)),
    );
    let inputs = [("x", Tensor::scalar(1_f32)), ("condition", Tensor::scalar(true))];
    Job::new(vec![node], inputs, expect)
}

/// A pooling window with stride 0.
fn still_pooling(expect: Expect) -> Job {
    let pooling = with(
        node("MaxPool", &["x"]),
        "kernel_shape",
        AttributeValue::Ints(vec![2, 2]),
    );
    let pooling = with(pooling, "strides", AttributeValue::Ints(vec![0, 0]));
    let image = Tensor::new(&[1, 1, 4, 4], vec![1_f32; 16]).expect("16 elements");
    Job::new(vec![pooling], [("x", image)], expect)
}

/// Expands one element to 10^12. The shape is a constant, because tract accepts no other, and not a
/// multiple of 2^32, which tract treats as 0.
fn huge_expand(expect: Expect) -> Job {
    let value = AttributeValue::Tensor(Tensor::vector(vec![1_000_000_000_000_i64]));
    let shape = Node {
        outputs: vec!["shape".to_owned()],
        ..with(node("Constant", &[]), "value", value)
    };
    let nodes = vec![shape, node("Expand", &["x", "shape"])];
    Job::new(nodes, [("x", Tensor::vector(vec![1_f32]))], expect)
}

/// Tensors of three axes without attributes do not determine the number of heads.
fn attention_without_heads(expect: Expect) -> Job {
    let tensor = || Tensor::new(&[1, 2, 4], vec![1_f32; 8]).expect("8 elements");
    let inputs = [("q", tensor()), ("k", tensor()), ("v", tensor())];
    Job::new(vec![node("Attention", &["q", "k", "v"])], inputs, expect)
}

fn gather_beyond_the_end(expect: Expect) -> Job {
    let inputs = [
        ("x", Tensor::vector(vec![1_f32, 2.0])),
        ("indices", Tensor::vector(vec![1000_i64])),
    ];
    Job::new(vec![node("Gather", &["x", "indices"])], inputs, expect)
}

/// A backend of the project, built and ready to start.
fn spec(text: &str) -> WorkerSpec {
    static BUILT: OnceLock<Result<(), String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        onnx_tests::workers::build(&["ort", "reference", "tract"]).map_err(|error| error.to_string())
    });
    built.as_ref().unwrap_or_else(|error| panic!("{error}"));
    let lock = Lockfile::embedded().expect("the lock is sound");
    let cache = Cache::from_env().expect("a folder for the cache");
    let fetcher = Fetcher::new(cache, |event| eprintln!("{event}"));
    let mut spec = backend::parse(text, &lock, &fetcher).unwrap_or_else(|error| panic!("{error}"));
    // A runtime that accepts a huge shape must not exhaust the memory of the machine.
    spec.limits.memory = Some(4 << 30);
    spec
}

/// Runs a job on a worker.
fn load_and_run(worker: &mut Worker, job: &Job) -> Result<Reply<Vec<Named>>, WorkerExit> {
    let after = |seconds| Instant::now() + Duration::from_secs(seconds);
    // Only the run that hangs has a short deadline, so that healthy jobs do not time out on a busy
    // machine.
    let patience = if matches!(job.expect, Expect::Timeout) {
        2
    } else {
        60
    };
    let load = Load {
        model: job.model.clone().into(),
        ..Load::default()
    };
    let session = match worker.load(load, after(60))? {
        Ok(loaded) => loaded.session,
        Err(declined) => return Ok(Err(declined)),
    };
    let ran = worker.run(session, job.inputs.clone(), after(patience))?;
    worker.unload(session, after(60))?.expect("it was loaded");
    Ok(ran.map(|ran| ran.outputs))
}

fn check_outcome(job: &Job, outcome: &Outcome<Reply<Vec<Named>>>) {
    let said = format!("{:?}: {outcome:?}", job.expect);
    let attempts = match (&job.expect, &outcome.result) {
        (Expect::Answer(expected), Ok(Ok(outputs))) => {
            let [(name, Value::Tensor(tensor))] = outputs.as_slice() else {
                panic!("{said}")
            };
            assert!(name == "y" && tensor.same_bits(expected), "{said}");
            1
        }
        (Expect::Error(part), Ok(Err(Declined::Backend(error)))) => {
            assert!(error.to_string().contains(*part), "{said}");
            1
        }
        (expect, Err(Failure::Died(exit))) => {
            let first = outcome.first_exit.as_ref();
            for exit in first.into_iter().chain([exit]) {
                assert!(is_worker_exit(expect, exit), "{said}");
            }
            // A job that takes all its time in a fresh worker would take it again.
            let is_final = matches!(expect, Expect::Timeout) && first.is_none();
            if is_final { 1 } else { 2 }
        }
        _ => panic!("{said}"),
    };
    assert_eq!(outcome.attempts, attempts, "{said}");
}

fn is_worker_exit(expect: &Expect, exit: &WorkerExit) -> bool {
    let kind = match (expect, &exit.kind) {
        (Expect::Crash(expected), WorkerExitKind::Crash { signal }) => signal == expected,
        (Expect::Timeout, WorkerExitKind::Timeout { .. }) => true,
        _ => false,
    };
    kind && exit.during == "run"
}

/// Runs the jobs among healthy ones on two workers.
fn check(backend: &str, deadly: Vec<Job>) {
    let mut jobs = Vec::new();
    for job in deadly {
        let number = jobs.len() as f32;
        jobs.extend([Job::healthy(number + 0.5), job, Job::healthy(-number)]);
    }
    let two = NonZeroUsize::new(2).expect("two");
    let pool = Pool::start(spec(backend), two, Cancel::default()).unwrap_or_else(|error| panic!("{error}"));
    let processes = Mutex::new(BTreeSet::new());
    let work = |worker: &mut Worker, job: &Job| {
        let process = worker.process_id();
        processes.lock().expect("no holder panics").insert(process);
        load_and_run(worker, job)
    };
    let mut outcomes = BTreeMap::new();
    let completion = pool.run_jobs(&jobs, work, |index, outcome| {
        drop(outcomes.insert(index, outcome))
    });
    assert_eq!(completion, Completion::Complete);
    drop(pool);
    for (index, job) in jobs.iter().enumerate() {
        check_outcome(job, &outcomes[&index]);
    }
    let died = outcomes.values().filter(|outcome| outcome.result.is_err());
    let exits = died.map(|outcome| outcome.attempts as usize).sum();
    let processes = processes.into_inner().expect("no holder panics");
    assert!(processes.len() > exits, "{exits} workers died, {processes:?} ran");
    let raw = |process: &u32| i32::try_from(*process).ok().and_then(Pid::from_raw);
    let left = processes
        .iter()
        .filter_map(raw)
        .filter(|&process| test_kill_process(process).is_ok());
    assert_eq!(left.collect::<Vec<_>>(), [], "left behind by {backend}");
}

#[test]
fn onnx_runtime_hangs_and_is_killed_by_its_arithmetic() {
    let mut deadly = vec![endless_loop(Expect::Timeout)];
    // Other processors return a quotient instead of a trap.
    if cfg!(target_arch = "x86_64") {
        deadly.push(divide(i32::MIN, -1, Expect::Crash(SIGFPE)));
        // Before 1.32 it divided by the number of heads.
        deadly.push(attention_without_heads(Expect::Error("KV number of heads")));
    }
    check("ort", deadly);
}

#[test]
fn tract_panics() {
    let deadly = vec![
        divide(1, 0, Expect::Crash(SIGABRT)),
        still_pooling(Expect::Crash(SIGABRT)),
        gather_beyond_the_end(Expect::Crash(SIGABRT)),
        huge_expand(Expect::Crash(SIGABRT)),
    ];
    check("tract:constants=none", deadly);
}

#[test]
fn the_reference_reports_exceeded_limits() {
    let deadly = vec![
        endless_loop(Expect::Error(
            "more than 10000 steps: the model may not terminate",
        )),
        huge_expand(Expect::Error("exceeds the budget of 2147483648 bytes")),
        divide(1, 0, Expect::Error("an integer divided by zero")),
        // Integers wrap around.
        divide(i32::MIN, -1, Expect::Answer(Tensor::vector(vec![i32::MIN]))),
    ];
    check("reference:steps=10000", deadly);
}
