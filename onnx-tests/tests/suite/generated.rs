//! Native on generated cases and graphs: no answer is wrong. Wrong answers of ONNX Runtime and tract
//! have a ruling. For more cases: `conformance --generated`, `--generated-graphs=20000`.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use harness_compare::policy::Policies;
use harness_conformance::generated::{self, Kind, Request, WITNESS};
use harness_conformance::observe::RunOptions;
use harness_conformance::rulings::{Rulings, decide};
use harness_conformance::run::{Earlier, Measured, Participants, Plan, RunDirectory, run};
use harness_console::Progress;
use harness_corpus::errata::Errata;
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::{Cancel, backend};
use run_record::Report;
use run_record::{RunStarted, VerdictKind};

const TIMEOUT: Duration = Duration::from_secs(60);

/// The answers of backends to the first cases of seed 0, judged by the bound of the reference.
fn report(kind: Kind, most: usize, folder: &str, backends: &[&str]) -> Report {
    onnx_tests::workers::build(&[&[WITNESS], backends].concat()).unwrap_or_else(|error| panic!("{error}"));
    let lock = Lockfile::embedded().unwrap();
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let spec = |text| backend::parse(text, &lock, &fetcher).unwrap();
    let (workers, cancel) = (NonZeroUsize::new(2).unwrap(), Cancel::default());
    let request = Request {
        kind,
        most,
        seed: 0,
        witness: WITNESS.to_owned(),
        bodies: false,
    };
    let made = generated::corpus(&request, |_| true, spec(WITNESS), workers, TIMEOUT, &cancel).unwrap();
    let plan = Plan {
        selected: String::new(),
        fail_fast: false,
        retries: 0,
        cases: made.corpus.cases().to_vec(),
        defects: Vec::new(),
        variants: Vec::new(),
        backends: backends.iter().map(|name| spec(name)).collect(),
        missing: Vec::new(),
        workers,
        measured: Measured::Cases,
        options: RunOptions {
            timeout: TIMEOUT,
            runs: 1,
            policy: Policies::embedded().unwrap().get("bound").unwrap(),
            memory: false,
        },
        reference: Some(spec(WITNESS)),
        noise: None,
        errata: Errata::none(),
        started: RunStarted::default(),
        corpus_s: 0.0,
    };
    let directory = RunDirectory::take(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder)).unwrap();
    let participants = Participants::start(&plan, &cancel).unwrap();
    let started = plan.started(&participants);
    let log = directory.open_log(&started, Earlier::REPLACED).unwrap();
    run(&plan, participants, started, log, &cancel, &Progress::Silent).unwrap()
}

/// Checks that at least `least` cases pass, and that all others are unsupported.
#[track_caller]
fn check(kind: Kind, most: usize, least: usize, folder: &str) {
    let report = report(kind, most, folder, &["native"]);
    let of = |kind: VerdictKind| {
        report
            .cases
            .iter()
            .filter(move |record| record.verdict.kind() == kind)
    };
    let passed = of(VerdictKind::Pass).count();
    let others = report.cases.iter().filter(|record| {
        !matches!(
            record.verdict.kind(),
            VerdictKind::Pass | VerdictKind::Unsupported
        )
    });
    let others: Vec<String> = others
        .map(|record| format!("{}: {}", record.case, record.reason))
        .collect();
    assert_eq!(others, Vec::<String>::new());
    assert!(passed >= least, "{passed} of {} cases pass", report.cases.len());
}

#[test]
fn graphs() {
    check(Kind::Graphs, 300, 295, "generated-graphs");
}

/// A graph is valid by construction: the reference answers each, and 18-3888 is among them (an empty slice
/// from the end).
#[test]
fn every_graph_has_an_answer() {
    onnx_tests::workers::build(&[WITNESS]).unwrap_or_else(|error| panic!("{error}"));
    let lock = Lockfile::embedded().unwrap();
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let request = Request {
        kind: Kind::Graphs,
        most: 4000,
        seed: 18,
        witness: WITNESS.to_owned(),
        bodies: false,
    };
    let witness = backend::parse(WITNESS, &lock, &fetcher).unwrap();
    let workers = NonZeroUsize::new(2).unwrap();
    let made = generated::corpus(&request, |_| true, witness, workers, TIMEOUT, &Cancel::default()).unwrap();
    assert_eq!(made.declined, BTreeMap::new());
}

#[test]
fn operators() {
    check(Kind::Operators, 4000, 3300, "generated-operators");
}

/// A new disagreement needs a ruling, and a ruling whose case agrees must be removed.
#[test]
fn disagreements_are_ruled() {
    const MOST: usize = 4000;
    let report = report(Kind::Operators, MOST, "generated-rulings", &["ort", "tract"]);
    let rulings = Rulings::embedded().unwrap();
    let decided = decide(&report, &onnx_generator::cases(0, MOST), 0, &rulings);
    let unruled = decided.groups.iter().filter(|(_, ruling)| ruling.is_none());
    let unruled: Vec<String> = unruled.map(|(group, _)| group.title()).collect();
    assert_eq!(unruled, Vec::<String>::new());
    let stale: Vec<&str> = decided.stale.iter().map(|ruling| ruling.case.as_str()).collect();
    assert_eq!(stale, Vec::<&str>::new());
    assert!(decided.groups.len() > 20, "{} groups", decided.groups.len());
}
