//! The result of a gate for reports.

use std::collections::BTreeMap;

use run_record::CaseRecord;
use run_record::common::shared;
use run_record::{Change, GateReport, KnownFailure, Report};

use super::waivers::{quarantined, waivers};
use super::{Baseline, Finding, Moment, version};

/// The parameters of a gate.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// The day for which the validity of waivers is checked.
    pub today: time::Date,
    /// A waiver that expires within this number of days is due.
    pub due: u16,
    /// Whether every change closes the gate.
    pub strict: bool,
}

/// The decision on `backend` for reports. The gate is open if no reason closes it.
pub fn gate_report(
    baseline: &Baseline,
    report: &Report,
    backend: &str,
    findings: &[Finding],
    judged: Judged,
    reasons: Vec<String>,
) -> GateReport {
    let numbers = baseline.numbers();
    let moment = Moment {
        today: judged.today,
        version: version(report, backend),
    };
    let known = |record: &CaseRecord| {
        let (key, expected) = baseline.line(&record.case, record.corpora())?;
        if expected.terms.lapse(moment).is_some() {
            return None;
        }
        let known = KnownFailure {
            verdict: expected.verdict,
            reason: expected.reason.clone(),
            line: numbers.get(&key).copied(),
            owner: expected.terms.owner.clone(),
            expires: expected.terms.expires.map(|date| date.to_string()),
            quarantine: expected.quarantine,
        };
        Some((record.case.clone(), known))
    };
    let change = |finding: &Finding| Change {
        case: finding.case.clone(),
        transition: finding.transition.to_string(),
        closes: finding.transition.closes() || judged.strict,
        expected: finding.expected,
        observed: finding.observed,
        reason: finding.why(),
        line: line(baseline, &numbers, finding),
    };
    let closing = |finding: &&Finding| finding.is_regression();
    let closing = findings
        .iter()
        .filter(closing)
        .map(|finding| finding.case.as_str());
    GateReport {
        shared: shared(report, backend, &closing.collect()),
        backend: backend.to_owned(),
        baseline: baseline.path().display().to_string(),
        open: reasons.is_empty(),
        reasons,
        known: report.cases_of(backend).filter_map(known).collect(),
        changes: findings.iter().map(change).collect(),
        waivers: waivers(baseline, moment, judged.due),
        quarantined: quarantined(baseline, report, backend, moment),
    }
}

fn line(baseline: &Baseline, numbers: &BTreeMap<String, usize>, finding: &Finding) -> Option<usize> {
    let (key, _) = baseline.line(&finding.case, finding.corpora())?;
    numbers.get(&key).copied()
}
