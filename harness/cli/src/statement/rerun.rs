//! Repeats a sample of the cases of a statement on a backend that the verifier names.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher};

use clap::Args;
use harness_conformance::run::{Earlier, Participants, RunDirectory, run};
use harness_console::{note, outln, progress};
use harness_corpus::Sha256;
use harness_fetch::Lockfile;
use harness_statement::{Subject, Verified};
use harness_worker::{BackendArg, Cancel};
use run_record::Report;
use run_record::VerdictKind;
use run_record::shown::one_line;

use super::subject::subject;
use crate::CliError;
use crate::generated::Generating;
use crate::judging::{Bounds, Judging};
use crate::models::Models;
use crate::running::plan;
use crate::selection::{Cases, fetcher};
use crate::workers::{Backends, Jobs, RunArgs, Workers};

/// The repetition of a sample. Its backend, cases and options are those of the verifier.
#[derive(Args, Debug)]
pub(super) struct Rerun {
    /// Also repeat this number of the passing cases on --backend, and compare the verdicts.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "backend")]
    rerun: usize,
    /// The backend that repeats cases. Its files must have the digests of the statement's subject.
    #[arg(long, value_name = "BACKEND", requires = "rerun")]
    backend: Option<BackendArg>,
    /// The seed that selects the repeated cases. Default: a random one, which is printed.
    #[arg(long, value_name = "N", requires = "rerun")]
    seed: Option<u64>,
    #[command(flatten)]
    cases: Cases,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    bounds: Bounds,
}

impl Rerun {
    /// The policy of the verifier.
    pub(super) fn judging(&self) -> &Judging {
        &self.run.judging
    }

    /// Whether it names the backend that repeats cases.
    pub(super) fn names_backend(&self) -> bool {
        self.backend.is_some()
    }

    /// Repeats the sample, if one is requested. Returns whether the backend is the subject of the
    /// statement and every case passes.
    pub(super) fn execute(&self, verified: &Verified) -> Result<bool, CliError> {
        let (Some(backend), 1..) = (&self.backend, self.rerun) else {
            return Ok(true);
        };
        let spec = self.workers.spec(backend, &Lockfile::embedded()?, &fetcher()?)?;
        if !is_subject(&verified.statement.subject, &subject(&spec)?) {
            note(format_args!(
                "error: `{}` is not the subject of the statement: its files have other digests; nothing was run",
                one_line(&backend.to_string())
            ));
            return Ok(false);
        }
        let seed = self
            .seed
            .unwrap_or_else(|| RandomState::new().build_hasher().finish());
        let sample = sample(&verified.judged.passed, seed, self.rerun);
        let report = self.run(backend, &sample)?;
        let verdicts = verdicts(&report);
        let verdict = |case: &str| verdicts.get(case).copied();
        let differing: Vec<&str> = sample
            .iter()
            .copied()
            .filter(|case| verdict(case) != Some(VerdictKind::Pass))
            .collect();
        for case in &differing {
            let verdict = verdict(case).map_or(
                "not run (it is not among your cases: --release, --builtin or --cases selects them)",
                VerdictKind::label,
            );
            note(format_args!(
                "error: {} passes in the statement, but its verdict here is: {verdict}",
                one_line(case)
            ));
        }
        outln(format_args!(
            "{} of {} repeated cases pass (--seed {seed})",
            sample.len() - differing.len(),
            sample.len()
        ))?;
        Ok(differing.is_empty())
    }

    /// Runs those of the verifier's own cases whose id is in the sample.
    fn run(&self, backend: &BackendArg, sample: &BTreeSet<&str>) -> Result<Report, CliError> {
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let backends = Backends {
            backends: vec![backend.clone()],
            workers: self.workers.clone(),
            jobs: self.jobs,
            run: self.run.clone(),
            bounds: self.bounds,
        };
        let generating = Generating::none();
        let mut plan = plan(&self.cases, &generating, &backends, &Models::NONE, None, &cancel)?;
        plan.cases
            .retain(|case| sample.contains(case.id.to_string().as_str()));
        plan.defects
            .retain(|defect| sample.contains(defect.id.to_string().as_str()));
        plan.started.cases = (plan.cases.len() + plan.defects.len()) as u64;
        let folder = tempfile::tempdir().map_err(CliError::Folder)?;
        let directory = RunDirectory::take(&folder.path().join("run"))?;
        let participants = Participants::start(&plan, &cancel)?;
        let started = plan.started(&participants);
        let log = directory.open_log(&started, Earlier::REPLACED)?;
        Ok(run(&plan, participants, started, log, &cancel, &progress())?)
    }
}

/// Whether the files of a backend have the digests of a subject, which has at least one.
fn is_subject(subject: &[Subject], files: &[Subject]) -> bool {
    let digests = |files: &[Subject]| -> BTreeSet<Option<String>> {
        files
            .iter()
            .map(|file| file.digest.get("sha256").cloned())
            .collect()
    };
    let (expected, found) = (digests(subject), digests(files));
    !expected.is_empty() && !expected.contains(&None) && expected == found
}

/// So many of the cases, in the order of a digest that depends on the seed.
fn sample(cases: &[String], seed: u64, count: usize) -> BTreeSet<&str> {
    let digest = |case: &str| Sha256::of(format!("{seed} {case}").as_bytes());
    let mut order: Vec<(Sha256, &str)> = cases.iter().map(|case| (digest(case), case.as_str())).collect();
    order.sort();
    order.into_iter().take(count).map(|(_, case)| case).collect()
}

/// The verdict of each case of a report on one backend.
fn verdicts(report: &Report) -> BTreeMap<&str, VerdictKind> {
    let records = report.cases.iter();
    records
        .map(|record| (record.case.as_str(), record.verdict.kind()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_the_subject_are_the_subject() {
        let file = |digest: &str| Subject::new("worker", digest);
        for (subject, files, expected) in [
            (vec![file("a")], vec![file("a")], true),
            (vec![file("a"), file("b")], vec![file("b"), file("a")], true),
            (vec![file("a")], vec![file("b")], false),
            (vec![file("a"), file("b")], vec![file("a")], false),
            (vec![file("a")], vec![file("a"), file("b")], false),
            (vec![], vec![], false),
            (
                vec![Subject {
                    name: "worker".to_owned(),
                    digest: BTreeMap::new(),
                }],
                vec![],
                false,
            ),
        ] {
            assert_eq!(is_subject(&subject, &files), expected, "{subject:?} {files:?}");
        }
    }

    #[test]
    fn the_seed_selects_the_sample() {
        let cases: Vec<String> = (0..100).map(|number| format!("case {number}")).collect();
        let of = |seed| sample(&cases, seed, 10);
        assert_eq!(of(1), of(1));
        assert_eq!((of(1).len(), sample(&cases, 1, 200).len()), (10, 100));
        let drawn: BTreeSet<&str> = (0..100).flat_map(of).collect();
        assert_eq!(drawn.len(), 100, "every case is drawn by some seed");
    }
}
