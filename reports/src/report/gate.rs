//! What a gate decided: the results of one backend beside what its baseline expects.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::record::VerdictKind;

/// The decision on one backend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GateReport {
    /// The backend's display name.
    pub backend: String,
    /// The baseline's file, as it was named.
    pub baseline: String,
    /// Whether the backend may be released.
    pub open: bool,
    /// Why it may not, the gravest reason first; empty where it may.
    pub reasons: Vec<String>,
    /// What the baseline expects of the cases that were run and have a line, by case.
    pub known: BTreeMap<String, KnownFailure>,
    /// Every case whose verdict is not what the baseline expects, the gravest first.
    pub changes: Vec<Change>,
    /// The waivers that do not hold any more, or expire soon.
    pub waivers: Vec<Waiver>,
    /// The cases that were run and are in quarantine: no verdict of theirs forbids a release.
    pub quarantined: Vec<Quarantined>,
}

/// A line of a baseline that a person must look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiver {
    /// The line's key: a case, or a case in a range of releases.
    pub case: String,
    /// Why it must be looked at.
    pub state: WaiverState,
    /// Days until it expires, negative where it has; none where it never does.
    pub days: Option<i64>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// The last day on which it holds.
    pub expires: Option<String>,
    /// The only version of the backend for which it holds.
    pub version: Option<String>,
    /// Why the failure is excused, as the baseline says.
    pub reason: String,
    /// The line of the file, from 1; none where it cannot be told.
    pub line: Option<usize>,
    /// Whether it puts a case into quarantine.
    pub quarantine: bool,
}

/// Why a waiver must be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaiverState {
    /// Its last day is past: it excuses nothing.
    Expired,
    /// It holds for another version of the backend: it excuses nothing.
    OtherVersion,
    /// It holds, and expires soon.
    Due,
}

impl Waiver {
    /// What there is to say of it, in one line.
    pub fn words(&self) -> String {
        let state = match (self.state, self.days) {
            (WaiverState::Expired, Some(days)) => format!("expired {} ago", days_text(-days)),
            (WaiverState::Expired, None) => "expired".to_owned(),
            (WaiverState::OtherVersion, _) => {
                format!(
                    "holds for version {} alone",
                    self.version.as_deref().unwrap_or("?")
                )
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

/// A case in quarantine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Quarantined {
    /// The case.
    pub case: String,
    /// What it came to.
    pub observed: VerdictKind,
    /// The reason of that verdict; empty of a pass.
    pub reason: String,
    /// Why it is in quarantine.
    pub why: String,
    /// Who answers for it.
    pub owner: String,
    /// The last day of the quarantine.
    pub expires: String,
}

/// A line of a baseline that applies to a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownFailure {
    /// The verdict that is expected.
    pub verdict: VerdictKind,
    /// Why, as the baseline says.
    pub reason: String,
    /// The line of the file, from 1; none where it cannot be told.
    pub line: Option<usize>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// The last day on which it holds.
    pub expires: Option<String>,
    /// Whether the case is in quarantine, where the verdict does not count.
    pub quarantine: bool,
}

/// A case whose verdict is not what the baseline expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The case.
    pub case: String,
    /// What happened: `regression`, `vanished`, `unexpected pass`, `improvement`.
    pub transition: String,
    /// Whether this change alone forbids a release.
    pub closes: bool,
    /// The verdict that was expected.
    pub expected: VerdictKind,
    /// The verdict that was observed; none of a case that is gone.
    pub observed: Option<VerdictKind>,
    /// The reason of the observed verdict.
    pub reason: String,
    /// The line of the baseline, from 1; none where it has none for this case.
    pub line: Option<usize>,
}

impl GateReport {
    /// Whether the result of `case` is what the baseline expects, so that it is no news; with the line that expects it.
    pub fn expects(&self, case: &str, verdict: VerdictKind) -> Option<&KnownFailure> {
        self.known
            .get(case)
            .filter(|known| known.quarantine || known.verdict == verdict)
    }
}
