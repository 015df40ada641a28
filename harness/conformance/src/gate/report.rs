//! What a gate found, as reports show it.

use std::collections::BTreeMap;

use reports::record::CaseRecord;
use reports::{Change, GateReport, KnownFailure, Report};

use super::{Baseline, Finding};

/// The decision on `backend` for reports. The gate is open where there is no reason against it; with `strict` every change closes it.
pub fn gate_report(
    baseline: &Baseline,
    report: &Report,
    backend: &str,
    findings: &[Finding],
    strict: bool,
    reasons: Vec<String>,
) -> GateReport {
    let numbers = baseline.numbers();
    let known = |record: &CaseRecord| {
        let (key, expected) = baseline.line(&record.case, record.corpora())?;
        let known = KnownFailure {
            verdict: expected.verdict,
            reason: expected.reason.clone(),
            line: numbers.get(&key).copied(),
        };
        Some((record.case.clone(), known))
    };
    let change = |finding: &Finding| Change {
        case: finding.case.clone(),
        transition: finding.transition.to_string(),
        closes: finding.transition.closes() || strict,
        expected: finding.expected,
        observed: finding.observed,
        reason: finding.reason.clone(),
        line: line(baseline, &numbers, finding),
    };
    GateReport {
        backend: backend.to_owned(),
        baseline: baseline.path().display().to_string(),
        open: reasons.is_empty(),
        reasons,
        known: report.cases_of(backend).filter_map(known).collect(),
        changes: findings.iter().map(change).collect(),
    }
}

fn line(baseline: &Baseline, numbers: &BTreeMap<String, usize>, finding: &Finding) -> Option<usize> {
    let (key, _) = baseline.line(&finding.case, finding.corpora())?;
    numbers.get(&key).copied()
}
