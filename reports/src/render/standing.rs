//! What a result counts as in a test report of a CI system: by itself, or beside what a baseline expects.

use std::collections::BTreeMap;

use crate::record::{CaseRecord, Outcome, VerdictKind};
use crate::{Change, GateReport, Report};

/// What a CI system shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// As wanted.
    Passed,
    /// A wrong answer, or a change that forbids a release.
    Failed,
    /// No answer.
    Broken,
    /// Not supported, excluded, or a failure that the baseline knows.
    Skipped,
    /// The case had no turn.
    NotRun,
}

/// A result's status with its message.
pub(super) struct Standing {
    pub status: Status,
    /// In one word or two: `mismatch (numeric)`, `known failure`.
    pub kind: String,
    /// Why; empty of a plain pass.
    pub message: String,
}

/// The decisions of gates, by backend and case.
pub(super) struct Standings<'a> {
    gates: BTreeMap<&'a str, (&'a GateReport, BTreeMap<&'a str, &'a Change>)>,
}

impl<'a> Standings<'a> {
    pub fn of(report: &'a Report) -> Self {
        let gates = report.gates.iter().map(|gate| {
            let changes = gate.changes.iter().map(|change| (change.case.as_str(), change));
            (gate.backend.as_str(), (gate, changes.collect()))
        });
        Self {
            gates: gates.collect(),
        }
    }

    /// What the result counts as. Where a gate judged its backend, only what is not as the baseline expects can fail.
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

/// What the result counts as by itself.
fn plain(record: &CaseRecord) -> Standing {
    let verdict = record.verdict.kind();
    let detail = record.verdict.detail();
    let kind = match detail.is_empty() {
        true => verdict.label().to_owned(),
        false => format!("{} ({detail})", verdict.label()),
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
