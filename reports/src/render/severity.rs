//! In which order results that are no pass are looked at.

use std::cmp::Reverse;
use std::sync::LazyLock;

use crate::record::{Outcome, VerdictKind};

/// The verdicts that are no pass, the gravest first; what says nothing of a backend comes last.
pub(super) static BY_SEVERITY: LazyLock<Vec<VerdictKind>> = LazyLock::new(|| {
    let mut kinds = VerdictKind::ALL.to_vec();
    kinds.retain(|kind| *kind != VerdictKind::Pass);
    kinds.sort_by_key(|kind| Reverse(kind.severity()));
    kinds
});

/// The place of a verdict in [`BY_SEVERITY`]; a pass comes last.
pub(super) fn severity(kind: VerdictKind) -> usize {
    BY_SEVERITY
        .iter()
        .position(|&other| other == kind)
        .unwrap_or(BY_SEVERITY.len())
}

/// What a reader counts verdicts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// An answer that is not right.
    Wrong,
    /// No answer, and the backend did not say that there would be none.
    Broken,
    /// The backend says that it does not support the model.
    Unsupported,
    /// The test itself is faulty, or cannot be read.
    Excluded,
    /// The case had no turn.
    NotRun,
    /// The right answer.
    Passed,
}

impl Class {
    /// All classes, the gravest first.
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
            (Outcome::NotJudged, VerdictKind::Unsupported) => Self::Unsupported,
            (Outcome::NotJudged, VerdictKind::NotRun) => Self::NotRun,
            (Outcome::NotJudged, _) => Self::Excluded,
        }
    }

    /// The stable key, as links and style sheets spell it.
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

    /// The name as people read it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Unsupported => "not supported",
            Self::NotRun => "not run",
            other => other.key(),
        }
    }
}

/// The sign of a verdict where there is room for one character.
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
        VerdictKind::Disputed | VerdictKind::Skipped => "×",
        VerdictKind::NotRun => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::{BY_SEVERITY, Class, severity};
    use crate::record::VerdictKind;

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
