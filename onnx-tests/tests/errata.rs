//! The errata ledger against the corpus and the reference: what an entry says must be so.

use std::num::NonZeroUsize;

use harness::backend;
use harness::corpus::{Cache, CaseFiles, CaseId, Corpus, Fetcher, Filter, Lockfile};
use harness::errata::{Entry, Errata};
use harness::observe::Conduct;
use harness::policy::{OFFICIAL, Policies};
use harness::run::run_case;
use harness::worker::{Cancel, Pool};
use reports::record::{CaseRecord, VerdictKind};

/// Every case of every release, each once.
fn distinct_cases(lock: &Lockfile, fetcher: &Fetcher) -> Vec<CaseFiles> {
    let corpora = Corpus::releases(&lock.releases(), lock, fetcher).unwrap_or_else(|error| panic!("{error}"));
    Filter::default().select(&corpora).unwrap().cases
}

fn ids(case: &CaseFiles) -> Vec<CaseId> {
    case.twins().chain([case.id.clone()]).collect()
}

/// What is wrong with an entry, given the cases that fall under it.
fn faults(entry: &Entry, cases: &[&CaseFiles], run: impl Fn(&CaseFiles) -> CaseRecord) -> Vec<String> {
    let title = format!("`{}` of {}", entry.case, entry.releases);
    if cases.is_empty() {
        return vec![format!("{title} matches no case")];
    }
    let mut faults = Vec::new();
    for case in cases {
        for id in ids(case).iter().filter(|id| !entry.covers(id.corpus())) {
            faults.push(format!("{title} leaves out {id}, which is the same data"));
        }
        let record = run(case);
        if record.verdict.kind() == VerdictKind::Pass {
            faults.push(format!("{title}: the reference passes {} as it stands", case.id));
        }
    }
    faults
}

#[test]
fn every_entry_matches_cases_that_the_reference_does_not_pass() {
    onnx_tests::workers::build(&["reference"]).unwrap_or_else(|error| panic!("{error}"));
    let (lock, fetcher) = (
        Lockfile::embedded().unwrap(),
        Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}")),
    );
    let (errata, cases) = (Errata::embedded().unwrap(), distinct_cases(&lock, &fetcher));
    let spec = backend::parse("reference", &lock, &fetcher).unwrap();
    let pool = Pool::start(spec.clone(), NonZeroUsize::MIN, Cancel::default()).unwrap();
    let conduct = Conduct {
        timeout: std::time::Duration::from_secs(60),
        runs: 1,
        policy: Policies::embedded().unwrap().get(OFFICIAL).unwrap(),
    };
    let run =
        |case: &CaseFiles| run_case(&pool, &spec, case, &conduct, &Errata::none()).expect("nobody cancels");
    let mut all = Vec::new();
    for entry in errata.entries() {
        let under = |case: &&CaseFiles| {
            ids(case)
                .iter()
                .any(|id| errata.of(id).any(|other| other == entry))
        };
        let under: Vec<&CaseFiles> = cases.iter().filter(under).collect();
        all.extend(faults(entry, &under, run));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
