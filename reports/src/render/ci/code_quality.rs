//! GitLab code quality: each change relative to a baseline as an issue of the baseline's file.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::super::RenderError;
use crate::View;
use run_record::shown;
use run_record::{Change, GateReport};
use run_record::{Outcome, VerdictKind};

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// A list of issues; empty without a gate, or if everything is as expected. The fingerprint of an issue
/// is the same in every run, so that GitLab can identify new issues.
pub fn code_quality(report: &View) -> Result<String, RenderError> {
    let of = |gate| move |change| issue(gate, change);
    let gates = report.gates.iter();
    let issues: Vec<Issue> = gates.flat_map(|gate| gate.changes.iter().map(of(gate))).collect();
    let mut text = shown::json(&serde_json::to_string_pretty(&issues)?);
    text.push('\n');
    Ok(text)
}

fn issue(gate: &GateReport, change: &Change) -> Issue {
    let observed = change.observed.map_or("gone", VerdictKind::label);
    let expected = change.expected.label();
    let reason = match change.reason.as_str() {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    let parts = [&gate.backend, &change.case, &change.transition];
    Issue {
        description: format!(
            "{}: {} of {}: expected {expected}, got {observed}{reason}",
            gate.backend, change.transition, change.case
        ),
        check_name: change.transition.clone(),
        fingerprint: fingerprint(&parts.map(String::as_str)),
        severity: severity(change),
        location: Location {
            // Paths in a repository have no leading `./`.
            path: gate.baseline.trim_start_matches("./").to_owned(),
            lines: Lines {
                begin: change.line.unwrap_or(1),
            },
        },
    }
}

/// A change that does not forbid a release is information; a wrong answer is worse than none.
fn severity(change: &Change) -> &'static str {
    match (change.closes, change.observed.map(VerdictKind::outcome)) {
        (false, _) => "info",
        (true, Some(Outcome::Wrong)) => "blocker",
        (true, Some(Outcome::Broken)) => "critical",
        (true, Some(Outcome::Passed | Outcome::NotJudged) | None) => "major",
    }
}

/// The same for the same change of the same case on the same backend. The length of each part is
/// included to separate the parts.
fn fingerprint(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
