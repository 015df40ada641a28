//! The status of a result in a CI system's test report: by itself, or relative to a baseline.

use std::collections::BTreeMap;

use crate::View;
use run_record::{CaseRecord, Outcome, VerdictKind};
use run_record::{Change, GateReport};

/// The statuses of CI systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// As expected.
    Passed,
    /// A wrong answer, or a change that forbids a release.
    Failed,
    /// No answer.
    Broken,
    /// Not supported, excluded, or a known failure of the baseline.
    Skipped,
    /// The case was not run.
    NotRun,
}

/// A result's status with its message.
pub(super) struct Standing {
    pub status: Status,
    /// A short form: `mismatch (numeric)`, `known failure`.
    pub kind: String,
    /// The reason; empty for a plain pass.
    pub message: String,
}

/// The decisions of gates, by backend and case.
pub(super) struct Standings<'a> {
    gates: BTreeMap<&'a str, (&'a GateReport, BTreeMap<&'a str, &'a Change>)>,
}

impl<'a> Standings<'a> {
    pub fn of(report: &'a View) -> Self {
        let gates = report.gates.iter().map(|gate| {
            let changes = gate.changes.iter().map(|change| (change.case.as_str(), change));
            (gate.backend.as_str(), (gate, changes.collect()))
        });
        Self {
            gates: gates.collect(),
        }
    }

    /// The status of a result. If a gate judged its backend, only results that differ from the baseline
    /// can fail.
    pub fn standing(&self, record: &CaseRecord) -> Standing {
        let plain = plain(record);
        let Some((gate, changes)) = self.gates.get(record.backend.as_str()) else {
            return plain;
        };
        if plain.status == Status::NotRun {
            return plain;
        }
        if let Some(change) = changes.get(record.case.as_str()) {
            return changed(gate, change, plain);
        }
        match gate.expects(&record.case, record.verdict.kind()) {
            Some(_) if plain.status == Status::Passed => plain,
            Some(known) if known.quarantine => Standing {
                status: Status::Skipped,
                kind: "quarantined".to_owned(),
                message: format!(
                    "in quarantine ({}, owner {}, until {}): {}: {}",
                    place(gate, known.line),
                    known.owner.as_deref().unwrap_or_default(),
                    known.expires.as_deref().unwrap_or_default(),
                    plain.kind,
                    known.reason
                ),
            },
            Some(known) => Standing {
                status: Status::Skipped,
                kind: "known failure".to_owned(),
                message: format!(
                    "known failure ({}): {}: {}",
                    place(gate, known.line),
                    plain.kind,
                    known.reason
                ),
            },
            None => plain,
        }
    }
}

fn changed(gate: &GateReport, change: &Change, plain: Standing) -> Standing {
    let expected = change.expected.label();
    let message = format!(
        "{}: expected {expected} ({}), got {}{}",
        change.transition,
        place(gate, change.line),
        plain.kind,
        match change.reason.as_str() {
            "" => String::new(),
            reason => format!(": {reason}"),
        }
    );
    let status = match (change.closes, plain.status) {
        (true, Status::Broken) => Status::Broken,
        (true, _) => Status::Failed,
        (false, Status::Passed) => Status::Passed,
        (false, _) => Status::Skipped,
    };
    Standing {
        status,
        kind: change.transition.clone(),
        message,
    }
}

/// `onnx-tests/baselines/ort.toml:12`.
pub(super) fn place(gate: &GateReport, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{}:{line}", gate.baseline),
        None => format!("no line in {}", gate.baseline),
    }
}

/// The status of the result by itself.
fn plain(record: &CaseRecord) -> Standing {
    let verdict = record.verdict.kind();
    let detail = record.verdict.detail();
    let kind = if detail.is_empty() {
        verdict.label().to_owned()
    } else {
        format!("{} ({detail})", verdict.label())
    };
    let status = match (verdict.outcome(), verdict) {
        (Outcome::Passed, _) => Status::Passed,
        (Outcome::Wrong, _) => Status::Failed,
        (Outcome::Broken, _) => Status::Broken,
        (Outcome::NotJudged, VerdictKind::NotRun) => Status::NotRun,
        (Outcome::NotJudged, _) => Status::Skipped,
    };
    Standing {
        status,
        message: match status {
            Status::Passed => String::new(),
            _ => format!("{kind}: {}", record.reason),
        },
        kind,
    }
}
