//! The gate: a run held against a baseline, which lists what a backend is known not to pass.
//!
//! [`transition`] is the judgement, one pure match. [`Baseline`] is the file that people edit; what rewrites it keeps their
//! comments. [`hold`] puts both together.

mod baseline;
mod transition;

use std::collections::BTreeSet;

use reports::Report;
use reports::record::{CaseRecord, VerdictKind};

use crate::corpus::{CaseId, Filter};

pub use baseline::{Baseline, BaselineError, Expected};
pub use transition::{Transition, transition};

/// A case whose verdict is not what the baseline says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The case.
    pub case: String,
    /// How it moved.
    pub transition: Transition,
    /// What the baseline expects; a pass where it has no line.
    pub expected: VerdictKind,
    /// What was observed; none of a case that is gone.
    pub observed: Option<VerdictKind>,
    /// The reason of the observed verdict.
    pub reason: String,
}

/// Holds the results of one backend against its baseline. Lines of cases that `filter` does not select, or of corpora that
/// were not run, are not looked at. Findings come sorted by case.
pub fn hold(baseline: &Baseline, report: &Report, backend: &str, filter: &Filter) -> Vec<Finding> {
    let mut findings: Vec<Finding> = report
        .cases_of(backend)
        .filter_map(|record| moved(baseline, record))
        .collect();
    let ids = report
        .cases_of(backend)
        .filter_map(|record| record.case.parse::<CaseId>().ok());
    let corpora: BTreeSet<String> = ids.map(|id| id.corpus().to_owned()).collect();
    for (case, expected) in baseline.entries() {
        let is_selected = |id: CaseId| corpora.contains(id.corpus()) && filter.matches(&id);
        let selected = case.parse().is_ok_and(is_selected);
        let gone = report.cases_of(backend).all(|record| record.case != *case);
        if selected && gone {
            findings.push(Finding {
                case: case.clone(),
                transition: Transition::Vanished,
                expected: expected.verdict,
                observed: None,
                reason: "the corpus has no such case".to_owned(),
            });
        }
    }
    findings.sort_by(|a, b| a.case.cmp(&b.case));
    findings
}

fn moved(baseline: &Baseline, record: &CaseRecord) -> Option<Finding> {
    let expected = baseline.expected(&record.case);
    let observed = record.verdict.kind();
    let transition = transition(expected, observed)?;
    let (case, reason) = (record.case.clone(), record.reason.clone());
    Some(Finding {
        case,
        transition,
        expected,
        observed: Some(observed),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use reports::record::{Event, Verdict};

    use super::*;

    #[test]
    fn only_cases_of_the_corpora_that_were_run_can_vanish() {
        let record = |case: &str| CaseRecord {
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
        };
        let run = Report::fold(vec![Event::CaseFinished(Box::new(record("a/node/x")))]);
        let mut baseline = Baseline::empty(Path::new("b.toml"), "mine");
        let known = |case: &str| Finding {
            case: case.to_owned(),
            transition: Transition::Regression,
            expected: VerdictKind::Pass,
            observed: Some(VerdictKind::Crash),
            reason: String::new(),
        };
        baseline.accept(&[known("a/node/y"), known("a/node/z"), known("b/node/y")]);
        let filter = Filter::new(["y", "x"]).unwrap();
        let findings = hold(&baseline, &run, "mine", &filter);
        let cases: Vec<&str> = findings.iter().map(|finding| finding.case.as_str()).collect();
        assert_eq!(cases, ["a/node/y"]);
    }
}
