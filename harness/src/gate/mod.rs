//! The gate: a run held against a baseline, which lists what a backend is known not to pass.
//!
//! [`transition`] is the judgement, one pure match. [`Baseline`] is the file that people edit; what rewrites it keeps their
//! comments. [`hold`] puts both together.

mod baseline;
mod transition;

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

/// Holds the results of one backend against its baseline; only cases that `filter` selects are looked at. Findings come
/// sorted by case.
pub fn hold(baseline: &Baseline, report: &Report, backend: &str, filter: &Filter) -> Vec<Finding> {
    let mut findings: Vec<Finding> = report
        .cases_of(backend)
        .filter_map(|record| moved(baseline, record))
        .collect();
    for (case, expected) in baseline.entries() {
        let selected = case.parse::<CaseId>().is_ok_and(|id| filter.matches(&id));
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
