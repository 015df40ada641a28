//! The decision of a gate: the results of one backend compared with its baseline.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::VerdictKind;
use crate::common::Shared;

/// The decision on one backend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GateReport {
    /// The backend's display name.
    pub backend: String,
    /// The path of the baseline, as given.
    pub baseline: String,
    /// Whether the backend may be released.
    pub open: bool,
    /// The reasons against a release, the most severe first; empty if it may be released.
    pub reasons: Vec<String>,
    /// The lines of the baseline for cases that were run, by case.
    pub known: BTreeMap<String, KnownFailure>,
    /// Every case whose verdict differs from the baseline, the most severe first.
    pub changes: Vec<Change>,
    /// What the changes that forbid a release have in common, and passing cases lack.
    pub shared: Vec<Shared>,
    /// The waivers that are not valid, or expire soon.
    pub waivers: Vec<Waiver>,
    /// The cases that were run and are quarantined: none of their verdicts forbids a release.
    pub quarantined: Vec<Quarantined>,
}

/// A line of a baseline that needs attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Waiver {
    /// The line's key: a case, or a case in a range of releases.
    pub case: String,
    /// Why it needs attention.
    pub state: WaiverState,
    /// The number of days until it expires, negative if it has; `None` if it never does.
    pub days: Option<i64>,
    /// The responsible person.
    pub owner: Option<String>,
    /// The last day on which it is valid.
    pub expires: Option<String>,
    /// The only version of the backend for which it is valid.
    pub version: Option<String>,
    /// The reason why the failure is excused, in the baseline.
    pub reason: String,
    /// The line number in the file, from 1; `None` if it is unknown.
    pub line: Option<usize>,
    /// Whether it quarantines a case.
    pub quarantine: bool,
}

/// Why a waiver needs attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaiverState {
    /// Its last day is past: it has no effect.
    Expired,
    /// It is limited to another version of the backend: it has no effect.
    OtherVersion,
    /// It is valid, but expires soon.
    Due,
}

impl Waiver {
    /// A description in one line.
    pub fn words(&self) -> String {
        let state = match (self.state, self.days) {
            (WaiverState::Expired, Some(days)) => format!("expired {} ago", days_text(-days)),
            (WaiverState::Expired, None) => "expired".to_owned(),
            (WaiverState::OtherVersion, _) => {
                format!("is limited to version {}", self.version.as_deref().unwrap_or("?"))
            }
            (WaiverState::Due, Some(0)) => "expires today".to_owned(),
            (WaiverState::Due, days) => format!("expires in {}", days_text(days.unwrap_or_default())),
        };
        let owner = self
            .owner
            .as_ref()
            .map_or("no owner".to_owned(), |owner| format!("owner {owner}"));
        let what = if self.quarantine { "quarantine" } else { "waiver" };
        format!("{what} of {} {state} ({owner}): {}", self.case, self.reason)
    }
}

fn days_text(days: i64) -> String {
    format!("{days} day{}", if days == 1 { "" } else { "s" })
}

/// A quarantined case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Quarantined {
    /// The case.
    pub case: String,
    /// Its verdict.
    pub observed: VerdictKind,
    /// The reason of that verdict; empty for a pass.
    pub reason: String,
    /// Why it is quarantined.
    pub why: String,
    /// The responsible person.
    pub owner: String,
    /// The last day of the quarantine.
    pub expires: String,
}

/// A line of a baseline that applies to a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownFailure {
    /// The expected verdict.
    pub verdict: VerdictKind,
    /// The reason, in the baseline.
    pub reason: String,
    /// The line number in the file, from 1; `None` if it is unknown.
    pub line: Option<usize>,
    /// The responsible person.
    pub owner: Option<String>,
    /// The last day on which it is valid.
    pub expires: Option<String>,
    /// Whether the case is quarantined, so that the verdict does not count.
    pub quarantine: bool,
}

/// A case whose verdict differs from the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// The case.
    pub case: String,
    /// The kind of change: `regression`, `vanished`, `unexpected pass`, `improvement`.
    pub transition: String,
    /// Whether this change alone forbids a release.
    pub closes: bool,
    /// The expected verdict.
    pub expected: VerdictKind,
    /// The observed verdict; `None` for a case that no longer exists.
    pub observed: Option<VerdictKind>,
    /// The reason of the observed verdict.
    pub reason: String,
    /// The line number in the baseline, from 1; `None` if it has none for this case.
    pub line: Option<usize>,
}

impl GateReport {
    /// Whether the result of `case` is what the baseline expects, so that it is no news; with the
    /// line that expects it.
    pub fn expects(&self, case: &str, verdict: VerdictKind) -> Option<&KnownFailure> {
        self.known
            .get(case)
            .filter(|known| known.quarantine || known.verdict == verdict)
    }
}
