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
    /// Every case whose verdict is not what the baseline expects.
    pub changes: Vec<Change>,
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
        self.known.get(case).filter(|known| known.verdict == verdict)
    }
}
