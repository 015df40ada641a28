//! Workers with all known kinds of misbehaviour: each is classified correctly and does not affect other
//! jobs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use backend_api::Named;
use backend_api::protocol::{ExternalFile, Load, RefusalKind};
use harness_worker::{
    Cancel, Completion, Declined, Failure, Outcome, Pool, Transport, Worker, WorkerExit, WorkerExitKind,
    WorkerSpec,
};
use onnx_tensor::{Tensor, Value};

/// A variable in the environment of every process that a test starts, and of their children.
const MARKER: &str = "MOCK_WORKER_MARKER";

/// The expected result of a job.
#[derive(Clone, Copy, Debug)]
enum Expect {
    /// The job's own input.
    Echo,
    /// One tensor of this element type and shape, or no output.
    Output(Option<(&'static str, &'static [usize])>),
    /// The worker ended in both attempts; the reason starts with this text.
    Dead(&'static str),
}

const MISBEHAVIOURS: &[(&str, Expect)] = &[
    ("run:segfault", Expect::Dead("killed by SIGSEGV (11) during run")),
    ("load:abort", Expect::Dead("killed by SIGABRT (6) during load")),
    (
        "run:panic",
        Expect::Dead(
            "killed by SIGABRT (6) during run: thread 'main' panicked at mock.rs:1:1: the axis is odd",
        ),
    ),
    ("run:fpe", Expect::Dead("killed by SIGFPE (8) during run")),
    ("run:killed", Expect::Dead("killed by SIGKILL (9) during run")),
    ("run:hang", Expect::Dead("no answer within ")),
    ("run:hang-without-sigterm", Expect::Dead("no answer within ")),
    ("run:torn-hang", Expect::Dead("no answer within ")),
    ("run:exit-0", Expect::Dead("exited with code 0 during run")),
    ("load:exit-3", Expect::Dead("exited with code 3 during load")),
    (
        "run:exhaust",
        Expect::Dead(
            "out of memory (stderr: memory allocation of 16777216 bytes failed, under a limit of 268435456 bytes)",
        ),
    ),
    (
        "run:garbage",
        Expect::Dead("protocol violated: not a frame: it starts with \"Segmentation fault"),
    ),
    (
        "run:torn-exit",
        Expect::Dead("protocol violated: truncated frame: the channel ended "),
    ),
    (
        "run:wrong-magic",
        Expect::Dead("protocol violated: not a frame: "),
    ),
    (
        "run:huge-length",
        Expect::Dead("protocol violated: the payload has 4611686018427387904 bytes, the limit is 1073741824"),
    ),
    (
        "run:wrong-id",
        Expect::Dead("protocol violated: the answer has id "),
    ),
    (
        "run:wrong-answer",
        Expect::Dead("protocol violated: `bye` is not an answer to `run`"),
    ),
    (
        "run:twice",
        Expect::Dead("protocol violated: there are bytes after the answer"),
    ),
    (
        "run:closes",
        Expect::Dead("protocol violated: the worker closed the channel but did not exit"),
    ),
    (
        "run:grandchild-exit",
        Expect::Dead("exited with code 3 during run"),
    ),
    ("run:grandchild-answer", Expect::Echo),
    ("run:detached-exit", Expect::Dead("exited with code 3 during run")),
    ("run:detached-answer", Expect::Echo),
    ("run:hidden-answer", Expect::Echo),
    ("run:traced-hang", Expect::Dead("no answer within ")),
    (
        "run:long-name",
        Expect::Dead("protocol violated: message `ran`: the name `nnnn"),
    ),
    (
        "run:long-time",
        Expect::Dead("protocol violated: message `ran`: 9223372036854775808 nanoseconds, the limit is"),
    ),
    ("run:flood", Expect::Echo),
    ("run:chatty", Expect::Echo),
    ("run:poison", Expect::Echo),
    ("run:wrong-dtype", Expect::Output(Some(("int64", &[2])))),
    ("run:wrong-shape", Expect::Output(Some(("float", &[1, 2, 1])))),
    ("run:wrong-count", Expect::Output(None)),
];

const HEALTHY: usize = 200;

struct Job {
    model: &'static str,
    input: Named,
    deadline: Duration,
    expect: Expect,
}

/// Healthy jobs with the misbehaviours distributed among them. Only jobs that hang have a short
/// deadline, so that healthy ones do not time out on a busy machine.
fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    let step = HEALTHY / MISBEHAVIOURS.len();
    let mut rest = MISBEHAVIOURS.iter();
    for index in 0..HEALTHY {
        let mut add = |model: &'static str, expect| {
            let input = Tensor::vector(vec![index as f32, f32::NAN]);
            let seconds = if model.contains("hang") { 0.3 } else { 20.0 };
            let deadline = Duration::from_secs_f64(seconds);
            jobs.push(Job {
                model,
                input: ("x".to_owned(), input.into()),
                deadline,
                expect,
            });
        };
        add("run:healthy", Expect::Echo);
        if index % step == 0
            && let Some((model, expect)) = rest.next()
        {
            add(model, *expect);
        }
    }
    assert_eq!(jobs.len(), HEALTHY + MISBEHAVIOURS.len());
    jobs
}

/// A unique marker, so that concurrent runs of these tests are independent.
fn unique(marker: &str) -> String {
    format!("{marker}-{}", std::process::id())
}

fn spec(marker: &str) -> WorkerSpec {
    let mut spec = WorkerSpec::new("mock", env!("CARGO_BIN_EXE_mock-worker"));
    spec.env = BTreeMap::from([(MARKER.to_owned(), unique(marker))]);
    spec.limits.memory = Some(256 << 20);
    spec
}

fn three() -> NonZeroUsize {
    NonZeroUsize::new(3).expect("three")
}

fn load_and_run(worker: &mut Worker, job: &Job) -> Result<Vec<Named>, WorkerExit> {
    let deadline = Instant::now() + job.deadline;
    let load = Load {
        model: job.model.as_bytes().to_vec().into(),
        ..Load::default()
    };
    let loaded = worker.load(load, deadline)?.expect("the mock loads everything");
    let ran = worker
        .run(loaded.session, vec![job.input.clone()], deadline)?
        .expect("the mock runs everything");
    worker
        .unload(loaded.session, deadline)?
        .expect("the mock unloads everything");
    Ok(ran.outputs)
}

fn check(job: &Job, outcome: &Outcome<Vec<Named>>) {
    let said = format!("{}: {outcome:?}", job.model);
    match (job.expect, &outcome.result) {
        (Expect::Echo, Ok(outputs)) => {
            let [(name, Value::Tensor(tensor))] = outputs.as_slice() else {
                panic!("{said}")
            };
            let input = job.input.1.as_tensor().expect("a tensor");
            assert!(name == "x" && tensor.same_bits(input), "{said}");
        }
        (Expect::Output(expected), Ok(outputs)) => {
            let found: Vec<_> = outputs
                .iter()
                .filter_map(|(_, value)| value.as_tensor())
                .collect();
            let found: Vec<_> = found
                .iter()
                .map(|tensor| (tensor.dtype().onnx_name(), tensor.shape()))
                .collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{said}");
        }
        (Expect::Dead(line), Err(Failure::Died(exit))) => {
            assert!(exit.to_string().starts_with(line), "{said}");
            // A job that takes all its time in a fresh worker has one attempt.
            let expected = if outcome.first_exit.is_some() { 2 } else { 1 };
            assert_eq!(outcome.attempts, expected, "{said}");
            assert!(expected == 2 || exit.is_timeout(), "{said}");
            let ignored = matches!(
                exit.kind,
                WorkerExitKind::Timeout {
                    ignored_sigterm: true,
                    ..
                }
            );
            // A signal to a traced process goes to its tracer.
            let ignores = ["without-sigterm", "traced"]
                .iter()
                .any(|part| job.model.contains(part));
            assert_eq!(ignored, ignores, "{said}");
        }
        _ => panic!("{said}"),
    }
}

/// Checks that no process is left, after a short time for the last ones to end.
fn assert_no_process_left(marker: &str) {
    // In the environment, or in the arguments of a process that cleared it.
    let needle = format!("{}\0", unique(marker)).into_bytes();
    let alive = || {
        let processes = fs::read_dir("/proc")
            .expect("/proc")
            .flatten()
            .map(|entry| entry.path());
        let marked = |path: &std::path::PathBuf| {
            let has = |file| {
                let bytes = fs::read(path.join(file)).unwrap_or_default();
                bytes.windows(needle.len()).any(|window| window == needle)
            };
            has("environ") || has("cmdline")
        };
        processes.filter(marked).collect::<Vec<_>>()
    };
    let deadline = Instant::now() + Duration::from_secs(5);
    while !alive().is_empty() && Instant::now() < deadline {
        sleep(Duration::from_millis(5));
    }
    assert_eq!(alive(), Vec::<std::path::PathBuf>::new(), "left behind");
}

fn check_all(spec: WorkerSpec, marker: &str) {
    let pool = Pool::start(spec, three(), Cancel::default()).expect("a pool");
    let jobs = jobs();
    let mut outcomes: Vec<Option<Outcome<_>>> = jobs.iter().map(|_| None).collect();
    let completion = pool.run_jobs(&jobs, load_and_run, |index, outcome| {
        outcomes[index] = Some(outcome)
    });
    assert_eq!(completion, Completion::Complete);
    drop(pool);
    for (job, outcome) in jobs.iter().zip(outcomes) {
        check(job, &outcome.expect("an outcome for every job"));
    }
    assert_no_process_left(marker);
}

#[test]
fn every_misbehaviour_affects_only_its_own_job() {
    check_all(spec("pipes"), "pipes");
}

/// The first worker may be faulty only if it did something before.
#[test]
fn a_job_takes_all_its_time_once() {
    let pool = Pool::start(spec("once"), NonZeroUsize::MIN, Cancel::default()).expect("a pool");
    let job = |model| {
        let found = jobs().into_iter().find(|job| job.model == model);
        found.expect("a job of this model")
    };
    let all = [job("run:hang"), job("run:healthy"), job("run:hang")];
    let mut attempts = Vec::new();
    let completion = pool.run_jobs(&all, load_and_run, |_, outcome| attempts.push(outcome.attempts));
    assert_eq!((completion, attempts), (Completion::Complete, vec![1, 1, 2]));
}

#[test]
fn the_same_holds_over_stdin_and_stdout() {
    check_all(
        WorkerSpec {
            transport: Transport::Stdio,
            ..spec("stdio")
        },
        "stdio",
    );
}

#[test]
fn a_worker_that_cannot_start_is_reported() {
    let program = |command: &str, args: &[&str], transport| WorkerSpec {
        command: command.into(),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        transport,
        ..spec("start")
    };
    for (spec, expected) in [
        (
            program("/nowhere/worker", &[], Transport::Inherited),
            "cannot start `/nowhere/worker`: No such file",
        ),
        (
            program("false", &[], Transport::Inherited),
            "the handshake failed: exited with code 1 during hello",
        ),
        (
            program("sleep", &["60"], Transport::Inherited),
            "the handshake failed: no answer within ",
        ),
        (
            program("echo", &["Welcome to my worker!"], Transport::Stdio),
            "the handshake failed: protocol violated: not a frame: it starts with \"Welcome to my worker!\\n\"",
        ),
        (
            program(
                env!("CARGO_BIN_EXE_mock-worker"),
                &["--opt", "any=1"],
                Transport::Inherited,
            ),
            "option `any`: unknown option; known: threads",
        ),
    ] {
        let mut spec = spec;
        spec.limits.start = Duration::from_millis(if expected.contains("no answer") {
            100
        } else {
            20_000
        });
        let error = Worker::start(Arc::new(spec), Cancel::default())
            .expect_err(expected)
            .to_string();
        let expected = format!("backend `mock`: {expected}");
        assert!(error.starts_with(&expected), "{error}");
    }
    assert_no_process_left("start");
}

#[test]
fn a_plug_in_may_print_and_its_panic_is_a_crash() {
    for transport in [Transport::Inherited, Transport::Stdio] {
        let options = BTreeMap::from([("threads".to_owned(), "1".to_owned())]);
        let spec = WorkerSpec {
            options,
            transport,
            ..spec("plug-in")
        };
        let mut worker = Worker::start(Arc::new(spec), Cancel::default()).expect("a plug-in");
        assert_eq!(worker.description().name, "chatty");
        let deadline = Instant::now() + Duration::from_secs(20);
        let loaded = worker
            .load(Load::default(), deadline)
            .expect("alive")
            .expect("loaded");
        let input = ("x".to_owned(), Tensor::scalar(1_i64).into());
        let ran = worker
            .run(loaded.session, vec![input], deadline)
            .expect("alive")
            .expect("run");
        assert_eq!(ran.outputs.len(), 1);
        let exit = worker
            .run(loaded.session, Vec::new(), deadline)
            .expect_err("a panic")
            .to_string();
        assert!(
            exit.starts_with("killed by SIGABRT (6) during run: thread 'main' "),
            "{exit}"
        );
        assert!(exit.ends_with("no input to echo"), "{exit}");
    }
    assert_no_process_left("plug-in");
}

#[test]
fn cancelling_ends_all_calls() {
    let cancel = Cancel::default();
    let pool = Pool::start(spec("cancel"), three(), cancel.clone()).expect("a pool");
    let mut jobs = jobs();
    jobs.retain(|job| job.model == "run:hang");
    jobs.extend(self::jobs().into_iter().filter(|job| job.model == "load:exit-3"));
    for job in &mut jobs {
        job.deadline = Duration::from_secs(600);
    }
    let completion = pool.run_jobs(&jobs, load_and_run, |_, _| cancel.cancel());
    assert_eq!(completion, Completion::Cancelled);
    drop(pool);
    assert_no_process_left("cancel");
}

#[test]
fn workers_go_when_the_harness_is_killed() {
    // It cannot tidy up its workers' folders any more.
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = Command::new(env!("CARGO_BIN_EXE_mock-worker"));
    harness
        .arg("act-as-harness")
        .env(MARKER, unique("orphans"))
        .env("TMPDIR", folder.path())
        .stderr(Stdio::piped());
    let mut harness = harness.spawn().expect("a harness");
    let mut line = String::new();
    let stderr = harness.stderr.take().expect("its stderr");
    BufReader::new(stderr).read_line(&mut line).expect("a line");
    assert_eq!(line, "started\n");
    // The child of its worker, and the one that detached itself.
    sleep(Duration::from_millis(300));
    harness.kill().expect("SIGKILL");
    harness.wait().expect("its end");
    assert_no_process_left("orphans");
    let deadline = Instant::now() + Duration::from_secs(5);
    let left = || fs::read_dir(folder.path()).expect("the folder").count();
    while left() > 0 && Instant::now() < deadline {
        sleep(Duration::from_millis(5));
    }
    assert_eq!(left(), 0, "folders are left");
}

/// Files that fit into no frame: each is a part of the same bytes, so that they need no memory.
#[test]
fn a_request_that_is_too_large_is_not_the_workers_fault() {
    let mut worker = Worker::start(Arc::new(spec("large")), Cancel::default()).expect("a worker");
    let bytes: onnx_model::Bytes = vec![0; 64 << 20].into();
    let file = |number: usize| ExternalFile {
        location: format!("w{number}"),
        bytes: bytes.clone(),
    };
    let load = Load {
        model: b"run:healthy".to_vec().into(),
        files: (0..33).map(file).collect(),
        ..Load::default()
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    let declined = worker
        .load(load, deadline)
        .expect("the worker lives")
        .expect_err("too large");
    let Declined::Refused(refusal) = declined else {
        panic!("{declined}");
    };
    assert_eq!(refusal.reason, RefusalKind::NotSent);
    assert!(refusal.message.contains("too large for one frame"), "{refusal}");
    assert!(worker.is_ready());
}
