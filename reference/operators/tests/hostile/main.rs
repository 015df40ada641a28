//! Every version of every operator with extreme attributes, extreme operands and huge extents combined with
//! zero extents: each evaluation returns a result or a typed error within its budget. The cases are
//! generated from the schemas.
//!
//! A watchdog fails the test if an evaluation takes longer than [`PATIENCE`], and the process is limited to
//! [`MEMORY`]. `HOSTILE_TRACE=1` prints each case before it runs, which identifies a case that ends the
//! process.

mod cases;
mod host;
mod inputs;
mod known;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use onnx_operators::frame::{Call, QUESTIONS, Readings, version};
use rustix::process::{Resource, Rlimit, setrlimit};

use cases::Case;
use host::Tight;

/// The maximum time of one evaluation. The budget needs a fraction of it without optimisation.
const PATIENCE: Duration = Duration::from_secs(30);

/// The number of versions with results, as measured; fewer mean that cases no longer reach the code under
/// test.
const MIN_SYSTEMATIC: usize = 545;
const MIN_RANDOM: usize = 535;

/// The memory limit of the process in bytes. One value may take 1 MiB; threads, the table and scratch
/// memory take the rest.
const MEMORY: u64 = 1 << 30;

/// Every reading except the defaults.
fn all_readings() -> Readings {
    let others = QUESTIONS.iter().flat_map(|question| question.others);
    others.fold(Readings::default(), |all, (_, reading)| all.with(*reading))
}

/// Evaluates a case with the default readings and with all others. Returns whether it has a result by
/// default, or the message of a panic.
fn evaluate(case: &Case) -> Result<bool, String> {
    let result = evaluate_with(case, Readings::default())?;
    evaluate_with(case, all_readings())?;
    Ok(result)
}

fn evaluate_with(case: &Case, readings: Readings) -> Result<bool, String> {
    let schema = case.schema;
    let row = version(schema.domain, schema.name, schema.since).ok_or("no row")?;
    let wanted = vec![true; schema.outputs.len().max(1)];
    let host = Tight::with(readings);
    let call = Call::new(schema, &case.inputs, &case.attributes, &wanted, &host);
    let run = AssertUnwindSafe(|| (row.eval)(&call).is_ok());
    catch_unwind(run).map_err(|panic| message(panic.as_ref()))
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

/// A message from the case thread to the watchdog: a case starts, has a result, or panics.
enum Event {
    Started(String),
    HasResult,
    Panics(String),
}

/// The name of the case thread, whose panics are collected instead of printed.
const CASES: &str = "cases";

/// Evaluates the cases in turn until all are done or the receiver is gone.
fn run(cases: impl Iterator<Item = Case>, events: &Sender<Event>) {
    let trace = std::env::var_os("HOSTILE_TRACE").is_some();
    for case in cases {
        let name = case.to_string();
        if trace {
            eprintln!("{name}");
        }
        let started = events.send(Event::Started(name));
        let sent = started.and_then(|()| match evaluate(&case) {
            Ok(true) => events.send(Event::HasResult),
            Ok(false) => Ok(()),
            Err(panic) => events.send(Event::Panics(panic)),
        });
        if sent.is_err() {
            return;
        }
    }
}

/// The observations of the watchdog.
#[derive(Default)]
struct Seen {
    /// The number of evaluations of each version.
    evaluations: BTreeMap<String, usize>,
    /// The number of results of each version.
    results: BTreeMap<String, usize>,
    /// The first case of each version and message that panics.
    panics: BTreeMap<String, String>,
}

fn watched(watch: &Receiver<Event>) -> Seen {
    let (mut case, mut operator, mut seen) = (String::new(), String::new(), Seen::default());
    loop {
        match watch.recv_timeout(PATIENCE) {
            Ok(Event::Started(name)) => {
                operator = name.split('(').next().unwrap_or_default().to_owned();
                case = name;
                *seen.evaluations.entry(operator.clone()).or_default() += 1;
            }
            Ok(Event::HasResult) => *seen.results.entry(operator.clone()).or_default() += 1,
            Ok(Event::Panics(panic)) => {
                let of = seen.panics.entry(format!("{operator}: {panic}"));
                of.or_insert_with(|| case.clone());
            }
            Err(RecvTimeoutError::Timeout) => panic!("no end after {PATIENCE:?}: {case}"),
            Err(RecvTimeoutError::Disconnected) => return seen,
        }
    }
}

/// Runs cases on a separate thread. None may panic, and at least `least` versions must have results;
/// otherwise the cases do not reach the code under test.
#[track_caller]
fn check(cases: impl Iterator<Item = Case> + Send + 'static, least: usize) {
    let limit = Some(MEMORY);
    let limit = Rlimit {
        current: limit,
        maximum: limit,
    };
    setrlimit(Resource::Data, limit).expect("a limit of memory");
    std::panic::set_hook(Box::new(|info| {
        if thread::current().name() != Some(CASES) {
            eprintln!("{info}");
        }
    }));
    let (events, watch) = channel();
    let thread = thread::Builder::new().name(CASES.to_owned()).stack_size(8 << 20);
    let worker = thread.spawn(move || run(cases, &events)).expect("a thread");
    let Seen {
        evaluations,
        results,
        panics,
    } = watched(&watch);
    worker.join().expect("the thread of the cases");
    let (all, given): (usize, usize) = (evaluations.values().sum(), results.values().sum());
    eprintln!(
        "{all} evaluations of {} versions, {given} results of {}",
        evaluations.len(),
        results.len()
    );
    let messages: Vec<String> = panics
        .into_iter()
        .map(|(panic, case)| format!("{panic}\n    {case}"))
        .collect();
    assert!(
        messages.is_empty(),
        "{} panics:\n{}",
        messages.len(),
        messages.join("\n")
    );
    let without_result: Vec<&String> = evaluations
        .keys()
        .filter(|version| !results.contains_key(*version))
        .collect();
    assert!(
        results.len() >= least,
        "{} versions return no result: {without_result:?}",
        without_result.len()
    );
}

#[test]
fn every_attribute_at_its_extremes() {
    check(cases::systematic(), MIN_SYSTEMATIC);
}

#[test]
fn extremes_together() {
    check(cases::random(), MIN_RANDOM);
}

#[test]
fn known_faults() {
    check(known::all(), 0);
}
