//! The change of a verdict relative to the expectation.

use std::fmt;

use run_record::{Severity, VerdictKind};

/// A difference from the expected verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Transition {
    /// Worse than expected: closes the gate.
    Regression,
    /// The baseline lists a case that no longer exists. This closes the gate, because a case that is not
    /// run proves nothing.
    Vanished,
    /// Passes although a failure is expected.
    UnexpectedPass,
    /// Does not pass, but the failure is less severe than expected.
    Improvement,
}

impl Transition {
    /// Whether the gate closes.
    pub fn closes(self) -> bool {
        matches!(self, Transition::Regression | Transition::Vanished)
    }
}

impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Transition::Regression => "regression",
            Transition::Vanished => "vanished",
            Transition::UnexpectedPass => "unexpected pass",
            Transition::Improvement => "improvement",
        })
    }
}

/// The transition from `expected` to `observed`; `None` if nothing changed. A case that was not run or
/// cannot be read is a regression whatever was expected: a backend does not pass a gate without being
/// tested. A case that is known to be flaky may pass or fail. Only disputed cases never count.
pub fn transition(expected: VerdictKind, observed: VerdictKind) -> Option<Transition> {
    match (expected.severity(), observed.severity()) {
        _ if observed == VerdictKind::Disputed => None,
        _ if matches!(observed, VerdictKind::Skipped | VerdictKind::NotRun) => Some(Transition::Regression),
        _ if expected == observed || expected == VerdictKind::Flaky => None,
        (_, None) => Some(Transition::Regression),
        (_, Some(Severity::Passed)) => Some(Transition::UnexpectedPass),
        (None, Some(_)) => Some(Transition::Regression),
        (Some(before), Some(now)) if now > before => Some(Transition::Regression),
        (Some(before), Some(now)) if now < before => Some(Transition::Improvement),
        (Some(_), Some(_)) => Some(Transition::Regression),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use VerdictKind::*;

    #[track_caller]
    fn check(expected: VerdictKind, observed: VerdictKind, moved: Option<Transition>) {
        assert_eq!(
            transition(expected, observed),
            moved,
            "{expected:?} to {observed:?}"
        );
    }

    #[test]
    fn every_transition_is_classified() {
        for verdict in VerdictKind::ALL {
            let judged = !matches!(verdict, Skipped | NotRun);
            check(verdict, verdict, (!judged).then_some(Transition::Regression));
            check(verdict, Disputed, None);
            if verdict != Pass && verdict != Disputed {
                check(Pass, verdict, Some(Transition::Regression));
                let flips = verdict == Flaky;
                check(verdict, Pass, (!flips).then_some(Transition::UnexpectedPass));
            }
            if judged {
                check(Flaky, verdict, None);
            }
        }
        // Wrong answers are more severe than crashes, crashes than errors, errors than unsupported
        // models.
        let order = [Mismatch, Crash, Error, Unsupported];
        for (place, &graver) in order.iter().enumerate() {
            for &milder in &order[place + 1..] {
                check(milder, graver, Some(Transition::Regression));
                check(graver, milder, Some(Transition::Improvement));
            }
        }
        check(Crash, Timeout, Some(Transition::Regression));
        check(Mismatch, Flaky, Some(Transition::Regression));
        check(Unsupported, Crash, Some(Transition::Regression));
        check(Unsupported, Mismatch, Some(Transition::Regression));
        check(Mismatch, Unsupported, Some(Transition::Improvement));
        check(Crash, Error, Some(Transition::Improvement));
        check(Mismatch, Nondeterministic, Some(Transition::Regression));
        check(Mismatch, Skipped, Some(Transition::Regression));
        check(Skipped, Mismatch, Some(Transition::Regression));
        check(Disputed, Pass, Some(Transition::UnexpectedPass));
    }
}
