//! Every version of every operator against extreme attributes, extreme operands and huge extents beside a zero: each
//! evaluation gives a result or a typed error, within its budget. The cases follow from the table of schemas.
//!
//! A watch ends the test where an evaluation takes longer than [`PATIENCE`], and the process may take no more than
//! [`MEMORY`]. `HOSTILE_TRACE=1` prints each case before it runs, which names the one that ends the process.

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

/// The longest that one evaluation may take: its budget is spent in a fraction of this without optimisation.
const PATIENCE: Duration = Duration::from_secs(30);

/// Versions that give results, as measured; fewer mean that cases no longer reach what they are for.
const LEAST_SYSTEMATIC: usize = 545;
const LEAST_RANDOM: usize = 535;

/// The most memory of the process, in bytes. One value may take 1 MiB; threads, the table and scratch take the rest.
const MEMORY: u64 = 1 << 30;

/// Every reading but the defaults.
fn all_readings() -> Readings {
    let others = QUESTIONS.iter().flat_map(|question| question.others);
    others.fold(Readings::default(), |all, (_, reading)| all.with(*reading))
}

/// Evaluates a case with the default readings and with all others; gives whether it has a result by default, or the message of a
/// panic.
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

/// What the thread of the cases tells the watch: a case begins, has a result, or panics.
enum News {
    Begins(String),
    Gives,
    Panics(String),
}

/// The name of the thread of the cases, whose panics are collected instead of printed.
const CASES: &str = "cases";

/// Evaluates the cases one after the other until all are done or nobody listens.
fn run(cases: impl Iterator<Item = Case>, news: &Sender<News>) {
    let trace = std::env::var_os("HOSTILE_TRACE").is_some();
    for case in cases {
        let name = case.to_string();
        if trace {
            eprintln!("{name}");
        }
        let begun = news.send(News::Begins(name));
        let told = begun.and_then(|()| match evaluate(&case) {
            Ok(true) => news.send(News::Gives),
            Ok(false) => Ok(()),
            Err(panic) => news.send(News::Panics(panic)),
        });
        if told.is_err() {
            return;
        }
    }
}

/// What the watch has seen.
#[derive(Default)]
struct Seen {
    /// Evaluations of each version.
    evaluations: BTreeMap<String, usize>,
    /// Results of each version.
    results: BTreeMap<String, usize>,
    /// The first case of each version and message that panics.
    panics: BTreeMap<String, String>,
}

fn watched(watch: &Receiver<News>) -> Seen {
    let (mut case, mut operator, mut seen) = (String::new(), String::new(), Seen::default());
    loop {
        match watch.recv_timeout(PATIENCE) {
            Ok(News::Begins(name)) => {
                operator = name.split('(').next().unwrap_or_default().to_owned();
                case = name;
                *seen.evaluations.entry(operator.clone()).or_default() += 1;
            }
            Ok(News::Gives) => *seen.results.entry(operator.clone()).or_default() += 1,
            Ok(News::Panics(panic)) => {
                let of = seen.panics.entry(format!("{operator}: {panic}"));
                of.or_insert_with(|| case.clone());
            }
            Err(RecvTimeoutError::Timeout) => panic!("no end after {PATIENCE:?}: {case}"),
            Err(RecvTimeoutError::Disconnected) => return seen,
        }
    }
}

/// Runs cases on a thread of its own. None may panic. `least` versions must give results, or the cases would not reach what
/// they are for.
#[track_caller]
fn hold(cases: impl Iterator<Item = Case> + Send + 'static, least: usize) {
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
    let (news, watch) = channel();
    let thread = thread::Builder::new().name(CASES.to_owned()).stack_size(8 << 20);
    let worker = thread.spawn(move || run(cases, &news)).expect("a thread");
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
    let told: Vec<String> = panics
        .into_iter()
        .map(|(panic, case)| format!("{panic}\n    {case}"))
        .collect();
    assert!(told.is_empty(), "{} panics:\n{}", told.len(), told.join("\n"));
    let silent: Vec<&String> = evaluations
        .keys()
        .filter(|version| !results.contains_key(*version))
        .collect();
    assert!(
        results.len() >= least,
        "{} versions give no result: {silent:?}",
        silent.len()
    );
}

#[test]
fn every_attribute_at_its_extremes() {
    hold(cases::systematic(), LEAST_SYSTEMATIC);
}

#[test]
fn extremes_together() {
    hold(cases::random(), LEAST_RANDOM);
}

#[test]
fn what_once_ended_the_process() {
    hold(known::all(), 0);
}
