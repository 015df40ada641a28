//! Every version of every operator against extreme attributes, extreme operands and huge extents beside a zero: each
//! evaluation gives a result or a typed error, within its budget. The cases follow from the table of schemas.
//!
//! A watch ends the test where an evaluation takes longer than [`PATIENCE`], and the process may take no more than
//! [`MEMORY`]. `HOSTILE_TRACE=1` prints each case before it runs, which names the one that ends the process.

mod cases;
mod host;
mod inputs;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use onnx_operators::frame::{Call, version};
use rustix::process::{Resource, Rlimit, setrlimit};

use cases::Case;
use host::Tight;

/// The longest that one evaluation may take: its budget is spent in a fraction of this without optimisation.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most memory of the process, in bytes. One value may take 1 MiB; threads, the table and scratch take the rest.
const MEMORY: u64 = 1 << 30;

/// Evaluates a case; gives the message of a panic.
fn evaluate(case: &Case) -> Result<(), String> {
    let schema = case.schema;
    let row = version(schema.domain, schema.name, schema.since).ok_or("no row")?;
    let wanted = vec![true; schema.outputs.len().max(1)];
    let host = Tight::default();
    let call = Call::new(schema, &case.inputs, &case.attributes, &wanted, &host);
    let run = AssertUnwindSafe(|| (row.eval)(&call).map(drop).map_err(|error| error.to_string()));
    match catch_unwind(run) {
        Ok(_) => Ok(()),
        Err(panic) => Err(message(panic.as_ref())),
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

/// What a worker tells the watch.
enum News {
    Begins(String),
    Panics(String),
}

/// Runs cases on a thread of its own; gives the names of those that panic.
#[track_caller]
fn hold(cases: impl Iterator<Item = Case> + Send + 'static) {
    let limit = Some(MEMORY);
    let limit = Rlimit {
        current: limit,
        maximum: limit,
    };
    setrlimit(Resource::Data, limit).expect("a limit of memory");
    let trace = std::env::var_os("HOSTILE_TRACE").is_some();
    let (news, watch) = channel();
    let worker = thread::Builder::new().stack_size(8 << 20).spawn(move || {
        std::panic::set_hook(Box::new(|_| {}));
        for case in cases {
            let name = case.to_string();
            if trace {
                eprintln!("{name}");
            }
            let told = news.send(News::Begins(name));
            if let Err(panic) = evaluate(&case) {
                drop(news.send(News::Panics(panic)));
            }
            if told.is_err() {
                return;
            }
        }
    });
    let worker = worker.expect("a thread");
    let failures = watched(&watch);
    worker.join().expect("the thread of the cases");
    assert!(
        failures.is_empty(),
        "{} evaluations panic, among them:\n{}",
        failures.len(),
        failures
            .iter()
            .take(40)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    );
}

/// The cases that panic, one for each operator and message.
fn watched(watch: &Receiver<News>) -> Vec<String> {
    let (mut current, mut count) = (String::new(), 0_usize);
    let mut failures: Vec<(String, String)> = Vec::new();
    loop {
        match watch.recv_timeout(PATIENCE) {
            Ok(News::Begins(name)) => {
                current = name;
                count += 1;
            }
            Ok(News::Panics(panic)) => {
                let operator = current.split('(').next().unwrap_or_default();
                let key = format!("{operator}: {panic}");
                if !failures.iter().any(|(known, _)| *known == key) {
                    failures.push((key, current.clone()));
                }
            }
            Err(RecvTimeoutError::Timeout) => panic!("no end after {PATIENCE:?}: {current}"),
            Err(RecvTimeoutError::Disconnected) => {
                eprintln!("{count} evaluations");
                return failures
                    .into_iter()
                    .map(|(key, case)| format!("{key}\n    {case}"))
                    .collect();
            }
        }
    }
}

#[test]
fn every_attribute_at_its_extremes() {
    hold(cases::systematic());
}

#[test]
fn extremes_together() {
    hold(cases::random());
}
