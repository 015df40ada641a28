//! Checks of the handshake, several sessions, repeated runs, time and memory, and the end of the
//! process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::BackendError;
use backend_api::protocol::{Answer, Request};
use harness_worker::{Declined, StartError, Worker};
use onnx_tensor::{Tensor, Value};

use super::bench::{Bench, same};
use super::mistakes::{feed, plain, result};
use super::{Check, Outcome, check};

/// The number of loads before the first measurement of memory, and the number after it.
const LOADS: (usize, usize) = (100, 900);

/// The maximum growth of a worker over all further loads, in bytes.
const GROWTH: u64 = 32 << 20;

pub(super) fn handshake() -> Vec<Check> {
    vec![
        check("the backend has a name and a version", |bench| {
            let description = bench.worker.description();
            match (description.name.is_empty(), description.version.is_empty()) {
                (false, false) => Outcome::Passed,
                (true, _) => Outcome::Failed("the name is empty".to_owned()),
                (false, true) => Outcome::Failed("the version is empty".to_owned()),
            }
        }),
        check("the backend reports its capabilities", |bench| {
            match bench.call(Request::Capabilities) {
                Ok(Answer::Capabilities(_)) => Outcome::Passed,
                Ok(answer) => Outcome::Failed(format!("`{}` answers `capabilities`", answer.name())),
                Err(outcome) => outcome,
            }
        }),
        check("an unknown option is a typed error", |bench| {
            let mut spec = (*bench.spec).clone();
            spec.options.insert("no-such-option".to_owned(), "1".to_owned());
            match Worker::start(Arc::new(spec), bench.cancel.clone()) {
                Err(StartError::Declined {
                    declined: Declined::Backend(BackendError::Option { .. }),
                    ..
                }) => Outcome::Passed,
                Err(error) => Outcome::Failed(error.to_string()),
                Ok(_) => Outcome::Failed("the option was accepted".to_owned()),
            }
        }),
    ]
}

pub(super) fn checks() -> Vec<Check> {
    vec![
        check("two models at once", |bench| {
            two_models(bench).unwrap_or_else(|outcome| outcome)
        }),
        check("twenty runs of a model give the same bits", |bench| {
            repeated(bench).unwrap_or_else(|outcome| outcome)
        }),
        check("a request for one output by name", |bench| {
            by_name(bench).unwrap_or_else(|outcome| outcome)
        }),
        check("the reported time is that of the run", |bench| {
            timed(bench).unwrap_or_else(|outcome| outcome)
        }),
        check(
            "a bench has the requested number of runs, and the outputs of a run",
            |bench| benched(bench).unwrap_or_else(|outcome| outcome),
        ),
        check("a tensor of 16 MiB in both directions", |bench| {
            let large = Value::Tensor(Tensor::vector(vec![0.5_f32; 4 << 20]));
            let Some(model) = super::models::identity(&large.value_type()) else {
                return Outcome::Failed("no version of Identity accepts floats".to_owned());
            };
            bench.gives(
                &model,
                &[("x".to_owned(), large.clone())],
                &[("y".to_owned(), large)],
            )
        }),
        check("the process does not grow over a thousand loads", |bench| {
            loads(bench).unwrap_or_else(|outcome| outcome)
        }),
    ]
}

pub(super) fn process() -> Vec<Check> {
    vec![check(
        "a shutdown is answered, and the process ends",
        |bench| match bench.call(Request::Shutdown) {
            Ok(Answer::Bye) => ended(bench),
            Ok(answer) => Outcome::Failed(format!("`{}` answers `shutdown`", answer.name())),
            Err(outcome) => outcome,
        },
    )]
}

/// Waits for the end of a process that has answered `shutdown`.
fn ended(bench: &mut Bench) -> Outcome {
    let deadline = Instant::now() + Duration::from_secs(2);
    while Instant::now() < deadline {
        if !bench.worker.is_ready() {
            return Outcome::Passed;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Outcome::Failed("the process still runs 2 s after its answer".to_owned())
}

fn two_models(bench: &mut Bench) -> Result<Outcome, Outcome> {
    let (one, two) = (bench.load(&plain(), &feed())?, bench.load(&plain(), &feed())?);
    if one == two {
        return Ok(Outcome::Failed("both sessions have the same number".to_owned()));
    }
    for session in [one, two, one] {
        expect(bench.run(session, &feed())?)?;
    }
    bench.unload(one)?;
    expect(bench.run(two, &feed())?)?;
    bench.unload(two)?;
    Ok(Outcome::Passed)
}

/// Fails if these are not the outputs of the plain model.
fn expect(outputs: Vec<backend_api::Named>) -> Result<(), Outcome> {
    match same(&outputs, &result()) {
        Outcome::Passed => Ok(()),
        outcome => Err(outcome),
    }
}

fn repeated(bench: &mut Bench) -> Result<Outcome, Outcome> {
    let session = bench.load(&plain(), &feed())?;
    for _ in 0..20 {
        expect(bench.run(session, &feed())?)?;
    }
    bench.unload(session)?;
    Ok(Outcome::Passed)
}

fn by_name(bench: &mut Bench) -> Result<Outcome, Outcome> {
    let session = bench.load(&plain(), &feed())?;
    let request = Request::Run {
        session,
        inputs: feed().to_vec(),
        outputs: Some(vec!["y".to_owned()]),
    };
    match bench.call(request)? {
        Answer::Ran(ran) => expect(ran.outputs)?,
        answer => return Ok(Outcome::Failed(format!("`{}` answers `run`", answer.name()))),
    }
    bench.unload(session)?;
    Ok(Outcome::Passed)
}

fn timed(bench: &mut Bench) -> Result<Outcome, Outcome> {
    let session = bench.load(&plain(), &feed())?;
    let began = Instant::now();
    let request = Request::Run {
        session,
        inputs: feed().to_vec(),
        outputs: None,
    };
    let answer = bench.call(request)?;
    let wall = began.elapsed();
    bench.unload(session)?;
    Ok(match answer {
        Answer::Ran(ran) if ran.nanoseconds == 0 => Outcome::Failed("the run took 0 ns".to_owned()),
        Answer::Ran(ran) if Duration::from_nanos(ran.nanoseconds) > wall => Outcome::Failed(format!(
            "the reported time is {} ns, but the answer came after {wall:?}",
            ran.nanoseconds
        )),
        Answer::Ran(_) => Outcome::Passed,
        answer => Outcome::Failed(format!("`{}` answers `run`", answer.name())),
    })
}

fn benched(bench: &mut Bench) -> Result<Outcome, Outcome> {
    let session = bench.load(&plain(), &feed())?;
    let request = Request::Bench {
        session,
        warmup: 3,
        iterations: 7,
        sets: vec![feed().to_vec()],
    };
    let answer = bench.call(request)?;
    bench.unload(session)?;
    match answer {
        Answer::Benched(benched) => {
            let counts = (benched.warmup_nanoseconds.len(), benched.nanoseconds.len());
            if counts != (3, 7) {
                return Ok(Outcome::Failed(format!("expected 3 and 7 times, got {counts:?}")));
            }
            expect(benched.first)?;
            expect(benched.last)?;
            Ok(Outcome::Passed)
        }
        Answer::Failed {
            error: error @ BackendError::Unsupported { .. },
        } => Ok(Outcome::Unsupported(error.to_string())),
        answer => Ok(Outcome::Failed(format!("`{}` answers `bench`", answer.name()))),
    }
}

fn loads(bench: &mut Bench) -> Result<Outcome, Outcome> {
    let (first, following) = LOADS;
    let mut load = |count: usize| {
        for _ in 0..count {
            let session = bench.load(&plain(), &feed())?;
            expect(bench.run(session, &feed())?)?;
            bench.unload(session)?;
        }
        Ok::<_, Outcome>(bench.worker.resident_memory())
    };
    let (before, after) = (load(first)?, load(following)?);
    Ok(match (before, after) {
        (Some(before), Some(after)) if after > before.saturating_add(GROWTH) => Outcome::Failed(format!(
            "the process grew by {} MiB over {following} loads",
            (after - before) >> 20
        )),
        (Some(_), Some(_)) => Outcome::Passed,
        _ => Outcome::Unsupported("this system does not report the memory of a process".to_owned()),
    })
}
