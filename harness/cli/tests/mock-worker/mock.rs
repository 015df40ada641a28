//! A worker that behaves like broken backends on demand. It takes the text of a behaviour in place of a
//! model, `load:abort` or `run:hang`, and executes it at that request; otherwise, and with
//! `run:healthy`, it echoes its inputs. A real model contains the behaviour in the name of its producer:
//! `behave=run:hang;`.
//!
//! With options it is a plug-in behind `backend_api::serve` (`served`). `once FILE` starts only once, if
//! FILE does not exist; `slow MILLISECONDS` delays each run; `as NAME` echoes with this output name;
//! `times NEW,SEEN,LAST` answers benches with these nanoseconds (`timed`), with the output `y`; `folds NAME`
//! echoes with this output name and asks for the inputs at load.
//!
//! Three more roles for the tests: `act-as-harness` is a harness that calls a hanging worker, to be killed
//! from outside; `act-as-grandchild` only keeps running; `act-as-tracer PID` traces a process.

mod misbehave;
mod served;
mod timed;

use std::fs::File;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use backend_api::protocol::{
    Answer, Benched, Channel, Frame, Hello, Library, Load, Loaded, ProtocolError, Ran, Request,
    decode_request_with, encode_answer,
};
use backend_api::{BackendError, Description, Named, Store, end_with_channel};
use harness_worker::{Cancel, Worker, WorkerSpec};

use misbehave::misbehave;
use timed::{Memory, Times};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("act-as-harness") => act_as_harness(),
        Some("act-as-tracer") => misbehave::act_as_tracer(arguments.get(2).map_or("", String::as_str)),
        Some("act-as-grandchild") => sleep(Duration::from_secs(600)),
        Some("--opt") => return served::act_as_plug_in(),
        role => {
            let argument = arguments.get(2).map_or("", String::as_str);
            if let Err(error) = prepare(role, argument).and_then(serve) {
                eprintln!("mock worker: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// How a run is answered.
#[derive(Default)]
struct Manner {
    /// The duration of a run.
    time: Duration,
    /// The name of every output; by default those of the inputs.
    output: Option<String>,
    /// Whether the inputs are wanted at load.
    folds: bool,
    /// The times of benches; without them benches are not supported.
    times: Option<Times>,
}

/// Executes a role's preparations, and returns how runs are answered.
fn prepare(role: Option<&str>, argument: &str) -> Result<Manner, String> {
    let mut manner = Manner::default();
    match role {
        Some("once") => {
            let first = File::options().write(true).create_new(true).open(argument);
            first.map_err(|_| "this worker starts only once".to_owned())?;
        }
        Some("slow") => {
            let milliseconds = argument.parse().map_err(|_| "slow: not a number".to_owned())?;
            manner.time = Duration::from_millis(milliseconds);
        }
        Some("folds") => {
            manner.output = Some(argument.to_owned());
            manner.folds = true;
        }
        Some("as") => manner.output = Some(argument.to_owned()),
        Some("times") => {
            manner.times = Some(Times::parse(argument)?);
            manner.output = Some("y".to_owned());
        }
        _ => {}
    }
    Ok(manner)
}

/// The behaviour in a model.
fn behaviour(model: &[u8]) -> String {
    let text = String::from_utf8_lossy(model).into_owned();
    let named = text
        .split_once("behave=")
        .and_then(|(_, rest)| rest.split_once(';'));
    named.map_or(text.clone(), |(behaviour, _)| behaviour.to_owned())
}

/// Answers until the channel ends.
fn serve(manner: Manner) -> Result<(), String> {
    let mut channel = Channel::open().map_err(|error| error.to_string())?;
    end_with_channel(&channel.input).map_err(|error| error.to_string())?;
    let (mut model, mut memory, mut store) = (String::new(), Memory::default(), None::<Store>);
    while let Some(frame) = Frame::read(&mut channel.input).map_err(|error| error.to_string())? {
        let library = store.as_mut().map(|store| store as &mut dyn Library);
        let (id, request) = match decode_request_with(frame, library) {
            Ok(request) => request,
            Err(ProtocolError::Missing { id, sha256 }) => {
                answer(id, Answer::Missing { sha256 }, &mut channel)?;
                continue;
            }
            Err(error) => return Err(error.to_string()),
        };
        let stage = request.name();
        if let Request::Load(Load { model: bytes, .. }) = &request {
            // A faulty worker: this case succeeds, the next one fails.
            if model == "run:poison" {
                std::process::abort();
            }
            model = behaviour(bytes);
        }
        if matches!(request, Request::Run { .. }) {
            sleep(manner.time);
        }
        let reply = match request {
            Request::Hello { store: asked, .. } => {
                store = Some(asked).filter(|asked| *asked).and_then(|_| Store::open());
                Answer::Hello(Hello {
                    version: 1,
                    backend: Description {
                        wants_inputs_at_load: manner.folds,
                        ..description()
                    },
                    store: store.is_some(),
                })
            }
            Request::Load(_) => Answer::Loaded(Loaded {
                session: 7,
                nanoseconds: 0,
            }),
            Request::Run { inputs, .. } => Answer::Ran(Ran {
                nanoseconds: manner.times.map_or(0, |times| memory.time(times, &inputs)),
                outputs: renamed(inputs, manner.output.as_deref()),
            }),
            Request::Bench {
                warmup,
                iterations,
                sets,
                ..
            } if manner.times.is_some() => {
                let times = manner.times.unwrap_or_default();
                let benched = memory.bench(times, warmup, iterations, &sets);
                Answer::Benched(Benched {
                    first: renamed(benched.first, manner.output.as_deref()),
                    last: renamed(benched.last, manner.output.as_deref()),
                    ..benched
                })
            }
            Request::Unload { .. } => Answer::Unloaded,
            _ => Answer::Failed {
                error: BackendError::unsupported("the mock does not do this"),
            },
        };
        let behaviour = model
            .strip_prefix(stage)
            .and_then(|rest| rest.strip_prefix(':'))
            .unwrap_or("healthy");
        if let Some(reply) = misbehave(behaviour, id, reply, &mut channel)? {
            answer(id, reply, &mut channel)?;
        }
    }
    Ok(())
}

fn answer(id: u64, answer: Answer, channel: &mut Channel) -> Result<(), String> {
    let frame = encode_answer(id, answer).map_err(|error| error.to_string())?;
    frame
        .write(&mut channel.output)
        .map_err(|error| error.to_string())
}

fn renamed(mut values: Vec<Named>, name: Option<&str>) -> Vec<Named> {
    for (known, _) in &mut values {
        if let Some(name) = name {
            name.clone_into(known);
        }
    }
    values
}

fn description() -> Description {
    Description {
        name: "mock".to_owned(),
        version: "1".to_owned(),
        ..Description::default()
    }
}

/// Starts a worker and waits for an answer that never comes.
fn act_as_harness() {
    let program = std::env::current_exe().expect("the path of this program");
    let spec = Arc::new(WorkerSpec::new("mock", program));
    let mut worker = Worker::start(spec, Cancel::default()).expect("a worker");
    eprintln!("started");
    let deadline = Instant::now() + Duration::from_secs(600);
    let load = Load {
        model: b"load:detached-hang".to_vec().into(),
        inputs: Vec::<Named>::new(),
        ..Load::default()
    };
    drop(worker.load(load, deadline));
}
