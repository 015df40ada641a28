//! The gate: a run held against a baseline, which lists what a backend is known not to pass.
//!
//! [`transition`] is the judgement, one pure match. [`Baseline`] is the file that people edit; what rewrites it keeps their
//! comments. [`hold`] puts both together.

mod baseline;
mod line;
mod reason;
mod report;
mod transition;

use std::collections::{BTreeMap, BTreeSet};

use harness_corpus::{CaseId, Filter};
use reports::Report;
use reports::record::{self, CaseRecord, Release, VerdictKind};

pub use baseline::{Baseline, BaselineError, Expected};
pub use reason::{lasting, portable};
pub use report::gate_report;
pub use transition::{Transition, transition};

/// A case whose verdict is not what the baseline says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The case, in the newest of the corpora that have it.
    pub case: String,
    /// The other corpora that have it.
    pub also_in: Vec<String>,
    /// How it moved.
    pub transition: Transition,
    /// What the baseline expects; a pass where it has no line.
    pub expected: VerdictKind,
    /// What was observed; none of a case that is gone.
    pub observed: Option<VerdictKind>,
    /// The reason of the observed verdict.
    pub reason: String,
    /// The operators of the model, as far as they are known.
    pub operators: Vec<String>,
}

impl Finding {
    /// Every corpus that has the case, the newest last.
    pub fn corpora(&self) -> impl Iterator<Item = &str> {
        let own = self.case.split('/').next().unwrap_or_default();
        self.also_in.iter().map(String::as_str).chain([own])
    }

    /// The ids of the case in every corpus that has it.
    pub fn ids(&self) -> impl Iterator<Item = String> {
        let case = self.case.split_once('/').map_or("", |(_, case)| case);
        self.corpora().map(move |corpus| format!("{corpus}/{case}"))
    }

    /// Whether a baseline can take it in: not what says nothing of the backend, because it was not run or cannot be read.
    pub fn is_acceptable(&self) -> bool {
        !matches!(self.observed, Some(VerdictKind::Skipped | VerdictKind::NotRun))
    }

    /// Whether the backend is worse, or a case is gone or cannot be read; not whether a case was not run, which proves nothing.
    pub fn is_regression(&self) -> bool {
        self.transition.closes() && self.observed != Some(VerdictKind::NotRun)
    }

    /// What a baseline says that takes it in: nothing of a case that passes or is gone.
    fn expectation(&self) -> Option<Expected> {
        let verdict = self.observed.filter(|observed| *observed != VerdictKind::Pass)?;
        Some(Expected {
            verdict,
            reason: reason::lasting(&self.reason, &self.operators),
        })
    }
}

/// Holds the results of one backend against its baseline. Lines of cases that `filter` does not select, or of corpora that
/// were not run, are not looked at. Findings come sorted by release and case.
pub fn hold(baseline: &Baseline, report: &Report, backend: &str, filter: &Filter) -> Vec<Finding> {
    let mut findings: Vec<Finding> = report
        .cases_of(backend)
        .filter_map(|record| moved(baseline, record))
        .collect();
    let mut seen: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for record in report.cases_of(backend) {
        let id = record::CaseId::parse(&record.case);
        let case = format!("{}/{}", id.suite, id.name);
        seen.entry(case).or_default().extend(record.corpora());
    }
    let run: BTreeSet<&str> = seen.values().flatten().copied().collect();
    // Of a run that did not come to its end nobody knows which cases the corpus has.
    for (key, expected) in baseline.lines().filter(|_| report.complete) {
        let is_selected = |corpus: &&&str| {
            let id = format!("{corpus}/{}", key.case).parse::<CaseId>();
            key.covers_corpus(corpus) && id.is_ok_and(|id| filter.matches(&id))
        };
        let selected: Vec<&str> = run.iter().filter(is_selected).copied().collect();
        let gone = |corpus: &&str| {
            !seen
                .get(&key.case)
                .is_some_and(|corpora| corpora.contains(corpus))
        };
        // A range may span releases without the case, but not only such.
        if let Some((newest, older)) = selected.split_last()
            && selected.iter().all(gone)
        {
            findings.push(Finding {
                case: format!("{newest}/{}", key.case),
                also_in: older.iter().map(|corpus| (*corpus).to_owned()).collect(),
                transition: Transition::Vanished,
                expected: expected.verdict,
                observed: None,
                reason: "the corpus has no such case".to_owned(),
                operators: Vec::new(),
            });
        }
    }
    findings.sort_by_cached_key(|finding| {
        (
            Release::of_corpus(finding.corpora().last().unwrap_or_default()),
            finding.case.clone(),
        )
    });
    findings
}

fn moved(baseline: &Baseline, record: &CaseRecord) -> Option<Finding> {
    let observed = record.verdict.kind();
    let expected = baseline.expected(record).into_iter();
    // In each of its releases the case must be what the baseline says; what closes the gate comes first.
    let moves = expected.filter_map(|expected| Some((transition(expected, observed)?, expected)));
    let (transition, expected) = moves.min()?;
    Some(Finding {
        case: record.case.clone(),
        also_in: record.also_in.clone(),
        transition,
        expected,
        observed: Some(observed),
        reason: record.reason.clone(),
        operators: record.operators.clone(),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use reports::record::{Event, Verdict};

    use super::*;

    pub(super) fn record(case: &str) -> CaseRecord {
        CaseRecord {
            case: case.to_owned(),
            also_in: Vec::new(),
            backend: "mine".to_owned(),
            verdict: Verdict::Pass,
            reason: String::new(),
            operators: Vec::new(),
            outputs: Vec::new(),
            load_ns: None,
            run_ns: None,
            level: None,
            place: None,
            official: None,
            attempts: 1,
        }
    }

    #[test]
    fn only_cases_of_the_corpora_that_were_run_can_vanish() {
        let mut run = Report::fold(vec![Event::CaseFinished(Box::new(record("a/node/x")))]);
        run.complete = true;
        let mut baseline = Baseline::empty(Path::new("b.toml"), "mine");
        let known = |case: &str| Finding {
            case: case.to_owned(),
            also_in: Vec::new(),
            transition: Transition::Regression,
            expected: VerdictKind::Pass,
            observed: Some(VerdictKind::Crash),
            reason: String::new(),
            operators: Vec::new(),
        };
        baseline.accept(&[known("a/node/y"), known("a/node/z"), known("b/node/y")], &[]);
        let filter = Filter::new(["y", "x"]).unwrap();
        let findings = hold(&baseline, &run, "mine", &filter);
        let cases: Vec<&str> = findings.iter().map(|finding| finding.case.as_str()).collect();
        assert_eq!(cases, ["a/node/y"]);
        run.complete = false;
        assert_eq!(hold(&baseline, &run, "mine", &filter), []);
    }
}
