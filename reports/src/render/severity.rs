//! The order of results other than passes.

use std::cmp::Reverse;
use std::sync::LazyLock;

use run_record::{Outcome, VerdictKind};

/// The verdicts other than passes, sorted by severity; verdicts that are not results of the backend come
/// last.
pub(super) static BY_SEVERITY: LazyLock<Vec<VerdictKind>> = LazyLock::new(|| {
    let mut kinds = VerdictKind::ALL.to_vec();
    kinds.retain(|kind| *kind != VerdictKind::Pass);
    kinds.sort_by_key(|kind| Reverse(kind.severity()));
    kinds
});

/// The index of a verdict in [`BY_SEVERITY`]; a pass is last.
pub(super) fn severity(kind: VerdictKind) -> usize {
    BY_SEVERITY
        .iter()
        .position(|&other| other == kind)
        .unwrap_or(BY_SEVERITY.len())
}

/// The classes of verdicts in counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// A wrong answer.
    Wrong,
    /// No answer, although the backend did not report the model as unsupported.
    Broken,
    /// The backend reports that it, or the requested provider, does not support the model.
    Unsupported,
    /// The test itself is faulty, or cannot be read.
    Excluded,
    /// The case was not run.
    NotRun,
    /// A right answer.
    Passed,
}

impl Class {
    /// All classes, sorted by severity.
    pub const ALL: [Self; 6] = [
        Self::Wrong,
        Self::Broken,
        Self::Unsupported,
        Self::Excluded,
        Self::NotRun,
        Self::Passed,
    ];

    /// The class of a verdict.
    pub fn of(kind: VerdictKind) -> Self {
        match (kind.outcome(), kind) {
            (Outcome::Passed, _) => Self::Passed,
            (Outcome::Wrong, _) => Self::Wrong,
            (Outcome::Broken, _) => Self::Broken,
            (Outcome::NotJudged, VerdictKind::Unsupported | VerdictKind::NotTaken) => Self::Unsupported,
            (Outcome::NotJudged, VerdictKind::NotRun) => Self::NotRun,
            (Outcome::NotJudged, _) => Self::Excluded,
        }
    }

    /// The stable key in links and style sheets.
    pub fn key(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::Broken => "broken",
            Self::Unsupported => "unsupported",
            Self::Excluded => "excluded",
            Self::NotRun => "not_run",
            Self::Passed => "passed",
        }
    }

    /// The name in reports.
    pub fn label(self) -> &'static str {
        match self {
            Self::Unsupported => "not supported",
            Self::NotRun => "not run",
            other => other.key(),
        }
    }
}

/// The sign of a verdict, if there is space for only one character.
pub(super) fn sign(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Pass => "✓",
        VerdictKind::Mismatch => "W",
        VerdictKind::Nondeterministic => "N",
        VerdictKind::VariantDiffers => "V",
        VerdictKind::Flaky => "F",
        VerdictKind::Crash => "C",
        VerdictKind::Timeout => "T",
        VerdictKind::OutOfMemory => "M",
        VerdictKind::Protocol => "P",
        VerdictKind::Error => "E",
        VerdictKind::Unsupported => "–",
        VerdictKind::NotTaken => "∅",
        VerdictKind::Disputed | VerdictKind::Undecided | VerdictKind::Skipped => "×",
        VerdictKind::NotRun => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::{BY_SEVERITY, Class, severity};
    use run_record::VerdictKind;

    #[test]
    fn every_verdict_but_a_pass_has_a_place_and_classes_follow_it() {
        assert_eq!(BY_SEVERITY.len() + 1, VerdictKind::ALL.len());
        let mut kinds = VerdictKind::ALL;
        kinds.sort_by_key(|&kind| severity(kind));
        assert_eq!(kinds.first(), Some(&VerdictKind::Mismatch));
        assert_eq!(kinds.last(), Some(&VerdictKind::Pass));
        assert!(kinds.map(Class::of).is_sorted(), "{kinds:?}");
    }
}
