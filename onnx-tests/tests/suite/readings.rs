//! Compares the ledger of readings with the reference and the cases: every answer can be run, changes a
//! result, and explains the errata that it names.

use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::time::Duration;

use harness_compare::policy::{OFFICIAL, Policies};
use harness_conformance::observe::RunOptions;
use harness_conformance::run::run_case;
use harness_corpus::errata::Errata;
use harness_corpus::readings::{Question, Readings};
use harness_corpus::{CaseFiles, CaseId, Filter, own};
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::{Cancel, Pool, WorkerSpec, backend};
use onnx_interpreter::QUESTIONS;
use run_record::{Erratum, VerdictKind};

static LEDGER: LazyLock<Readings> = LazyLock::new(|| Readings::embedded().unwrap());
static ERRATA: LazyLock<Errata> = LazyLock::new(|| Errata::embedded().unwrap());

/// The own cases and those of every release, each once.
static CASES: LazyLock<Vec<CaseFiles>> = LazyLock::new(|| {
    let lock = Lockfile::embedded().unwrap();
    let mut corpora = harness_fetch::releases(&lock.releases(), &lock, &fetcher())
        .unwrap_or_else(|error| panic!("{error}"));
    corpora.push(own::corpus().unwrap());
    Filter::default().select(&corpora).unwrap().cases
});

fn fetcher() -> Fetcher {
    Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"))
}

/// A worker of the reference with these readings.
fn reference(readings: &str) -> (WorkerSpec, Pool) {
    onnx_tests::workers::build(&["reference"]).unwrap_or_else(|error| panic!("{error}"));
    let text = format!("reference:reading={readings}");
    let spec = backend::parse(&text, &Lockfile::embedded().unwrap(), &fetcher()).unwrap();
    let pool = Pool::start(spec.clone(), NonZeroUsize::MIN, Cancel::default()).unwrap();
    (spec, pool)
}

fn passes((spec, pool): &(WorkerSpec, Pool), case: &CaseFiles) -> bool {
    let options = RunOptions {
        timeout: Duration::from_secs(60),
        runs: 1,
        policy: Policies::embedded().unwrap().get(OFFICIAL).unwrap(),
        memory: false,
    };
    let record = run_case(pool, spec, case, &options, &Errata::none()).expect("nobody cancels");
    record.verdict.kind() == VerdictKind::Pass
}

/// The cases with an id for which `holds` returns true.
fn cases(holds: impl Fn(&CaseId) -> bool) -> Vec<&'static CaseFiles> {
    CASES
        .iter()
        .filter(|case| case.ids().any(|id| holds(&id)))
        .collect()
}

#[test]
fn the_ledger_and_the_reference_have_the_same_questions() {
    let written = |question: &Question| {
        let others: Vec<String> = question.others().map(str::to_owned).collect();
        (question.name.clone(), question.default.clone(), others)
    };
    let executed = QUESTIONS.iter().map(|question| {
        let mut others: Vec<String> = question
            .others
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        others.sort();
        (question.name.to_owned(), question.default.to_owned(), others)
    });
    let executed: Vec<_> = executed.collect();
    assert_eq!(
        LEDGER.questions().iter().map(written).collect::<Vec<_>>(),
        executed
    );
}

#[test]
fn the_operator_versions_exist() {
    let known: Vec<String> = onnx_schema::all()
        .chain(onnx_schema::contrib())
        .map(ToString::to_string)
        .collect();
    for question in LEDGER.questions() {
        for operator in &question.operators {
            assert!(known.contains(operator), "{}: {operator}", question.name);
        }
    }
}

/// The default answer passes every case of a question, unless it refuses the model; each other answer
/// fails at least one, so that the cases distinguish the answers.
#[test]
fn the_cases_of_a_question_distinguish_its_answers() {
    let default = reference("resize-extent=f32");
    for question in LEDGER.questions() {
        let cases = cases(|id| question.has_case(id));
        assert!(!cases.is_empty(), "{}: no case", question.name);
        let by_default: Vec<bool> = cases.iter().map(|case| passes(&default, case)).collect();
        if question.default != "refused" {
            assert!(by_default.iter().all(|passes| *passes), "{}", question.name);
        }
        for other in question.others() {
            let other = format!("{}={other}", question.name);
            let worker = reference(&other);
            let answers: Vec<bool> = cases.iter().map(|case| passes(&worker, case)).collect();
            assert_ne!(answers, by_default, "{other} changes nothing");
        }
    }
}

/// Every subset of these readings.
fn subsets(readings: &[String]) -> Vec<String> {
    let chosen = |bits: usize| {
        let some = readings
            .iter()
            .enumerate()
            .filter(move |(index, _)| bits & (1 << index) != 0);
        some.map(|(_, reading)| reading.clone())
            .collect::<Vec<_>>()
            .join("+")
    };
    (1..1 << readings.len()).map(chosen).collect()
}

/// Errata that are ambiguous or amended belong to a question, and their cases pass with one of its
/// answers.
#[test]
fn errata_that_are_readings_pass_with_another_answer() {
    let readable = [Erratum::AmbiguousSpecification, Erratum::AmendedSpecification];
    for entry in ERRATA
        .entries()
        .iter()
        .filter(|entry| readable.contains(&entry.kind))
    {
        if LEDGER.not_executable().contains_key(&entry.case) {
            continue;
        }
        let mut questions = LEDGER.questions().iter();
        let question = questions.find(|question| question.errata.contains(&entry.case));
        let question = question.unwrap_or_else(|| panic!("`{}` belongs to no question", entry.case));
        let under = cases(|id| ERRATA.of(id).any(|other| other == entry));
        // A case may follow several of the older texts at once.
        let older: Vec<String> = LEDGER
            .questions()
            .iter()
            .filter(|other| other.is_about(&question.operators))
            .flat_map(|other| {
                other
                    .others()
                    .map(move |answer| format!("{}={answer}", other.name))
            })
            .collect();
        let workers: Vec<_> = subsets(&older).iter().map(|some| reference(some)).collect();
        for case in under {
            let found = workers.iter().any(|worker| passes(worker, case));
            assert!(found, "{} passes with no subset of {older:?}", case.id);
        }
    }
}

#[test]
fn errata_of_the_ledger_exist() {
    let known: Vec<&str> = ERRATA.entries().iter().map(|entry| entry.case.as_str()).collect();
    let named = LEDGER.questions().iter().flat_map(|question| &question.errata);
    for pattern in named.chain(LEDGER.not_executable().keys()) {
        assert!(known.contains(&pattern.as_str()), "{pattern}");
    }
}
