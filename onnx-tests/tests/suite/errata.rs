//! Compares the errata with the corpus and the reference: every entry must be true, and every case that
//! the reference does not pass must have an entry.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use harness_compare::policy::{OFFICIAL, Policies};
use harness_conformance::observe::RunOptions;
use harness_conformance::run::run_case;
use harness_corpus::errata::{Entry, Errata};
use harness_corpus::{CaseId, Filter, Selection};
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::backend;
use harness_worker::{Cancel, Pool};
use run_record::VerdictKind;

static ERRATA: LazyLock<Errata> = LazyLock::new(|| Errata::embedded().unwrap());

/// Every case of every release, each once, with the reference's result.
static CASES: LazyLock<Vec<Judged>> = LazyLock::new(|| judged(&select()));

/// The reference's result for a case, without errata.
struct Judged {
    ids: Vec<CaseId>,
    passes: bool,
    reason: String,
}

fn fetcher() -> Fetcher {
    Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"))
}

fn select() -> Selection {
    let lock = Lockfile::embedded().unwrap();
    let corpora = harness_fetch::releases(&lock.releases(), &lock, &fetcher())
        .unwrap_or_else(|error| panic!("{error}"));
    Filter::default().select(&corpora).unwrap()
}

fn judged(selection: &Selection) -> Vec<Judged> {
    onnx_tests::workers::build(&["reference"]).unwrap_or_else(|error| panic!("{error}"));
    let spec = backend::parse("reference", &Lockfile::embedded().unwrap(), &fetcher()).unwrap();
    let pool = Pool::start(spec.clone(), NonZeroUsize::MIN, Cancel::default()).unwrap();
    let options = RunOptions {
        timeout: std::time::Duration::from_secs(60),
        runs: 1,
        policy: Policies::embedded().unwrap().get(OFFICIAL).unwrap(),
        memory: false,
    };
    let ran = selection.cases.iter().map(|case| {
        let record = run_case(&pool, &spec, case, &options, &Errata::none()).expect("nobody cancels");
        Judged {
            ids: case.ids().collect(),
            passes: record.verdict.kind() == VerdictKind::Pass,
            reason: record.reason,
        }
    });
    let defects = selection.defects.iter().map(|defect| Judged {
        ids: defect.ids().collect(),
        passes: false,
        reason: defect.kind.to_string(),
    });
    ran.chain(defects).collect()
}

/// The faults of an entry, given the cases that it covers.
fn faults(entry: &Entry, cases: &[&Judged]) -> Vec<String> {
    let title = format!("`{}` of {}", entry.case, entry.releases);
    if cases.is_empty() {
        return vec![format!("{title} matches no case")];
    }
    let mut faults = Vec::new();
    for case in cases {
        for id in case.ids.iter().filter(|id| !entry.covers(id.corpus())) {
            faults.push(format!("{title} does not cover {id}, which has the same data"));
        }
        if case.passes {
            faults.push(format!("{title}: the reference passes {}", case.ids[0]));
        }
    }
    faults
}

#[test]
fn every_entry_matches_cases_that_the_reference_does_not_pass() {
    let mut all = Vec::new();
    for entry in ERRATA.entries() {
        let has = |id: &CaseId| ERRATA.of(id).any(|other| other == entry);
        let under: Vec<&Judged> = CASES.iter().filter(|case| case.ids.iter().any(has)).collect();
        all.extend(faults(entry, &under));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn every_case_of_every_release_passes_or_has_an_entry() {
    let open = |case: &&Judged| !case.passes && ERRATA.find(case.ids.iter().cloned()).is_none();
    let open: Vec<String> = CASES
        .iter()
        .filter(open)
        .map(|case| format!("{}: {}", case.ids[0], case.reason))
        .collect();
    assert!(
        open.is_empty(),
        "{} without an entry:\n{}",
        open.len(),
        open.join("\n")
    );
}
