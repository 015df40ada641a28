//! The reference on every input of narrow formats: no result is misrounded. `cargo xtask exhaustive`
//! checks all functions.

use std::num::NonZeroUsize;
use std::time::Duration;

use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_lab::exhaustive::{Checked, Job, Journal, NARROW, Subject, casts, functions, run};
use harness_worker::{Cancel, Completion, Pool, backend};

/// The reference's results for these subjects.
fn checked(subjects: &[Subject]) -> Checked {
    onnx_tests::workers::build(&["reference"]).unwrap_or_else(|error| panic!("{error}"));
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let spec = backend::parse("reference", &Lockfile::embedded().unwrap(), &fetcher).unwrap();
    let pool = Pool::start(spec, NonZeroUsize::new(2).unwrap(), Cancel::default()).unwrap();
    let jobs: Vec<Job> = subjects.iter().flat_map(|subject| subject.jobs()).collect();
    let mut all = Checked::default();
    let completion = run(
        &pool,
        "reference",
        &jobs,
        Duration::from_secs(120),
        &mut Journal::default(),
        |_, part| all.join(part),
    );
    assert_eq!(completion.unwrap(), Completion::Complete);
    all
}

#[track_caller]
fn check(subjects: &[Subject], least: u64) {
    let Checked {
        compared,
        wrong,
        examples,
        declined,
        ..
    } = checked(subjects);
    assert_eq!((wrong, examples, declined), (0, Vec::new(), None));
    assert!(compared >= least, "{compared} values compared");
}

#[test]
fn casts_are_correctly_rounded() {
    check(&casts(), 2_000_000);
}

/// Functions of each kind of evaluation, including those for which f64 loses terms near ties.
#[test]
fn functions_are_correctly_rounded() {
    let names = ["Exp", "Log", "Sin", "Tanh", "Swish", "Elu", "Gelu"].map(str::to_owned);
    let subjects: Vec<Subject> = NARROW
        .iter()
        .flat_map(|dtype| functions(*dtype, &names))
        .collect();
    check(&subjects, 14 * 60_000);
}
