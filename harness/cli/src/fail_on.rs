//! `--fail-on`: the verdicts for which the exit code of a run is 1.

use std::str::FromStr;

use harness_console::note;
use run_record::Report;
use run_record::{Outcome, VerdictKind};

/// The verdicts that one word of the option names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FailOn(Vec<VerdictKind>);

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<FailOn, String> {
        let all = VerdictKind::ALL.into_iter();
        let named: Vec<VerdictKind> = match text {
            "wrong" => all.filter(|kind| kind.outcome() == Outcome::Wrong).collect(),
            "broken" => all.filter(|kind| kind.outcome() == Outcome::Broken).collect(),
            key => all.filter(|kind| can_fail(*kind) && kind.key() == key).collect(),
        };
        if named.is_empty() {
            let kinds = VerdictKind::ALL.into_iter().filter(|kind| can_fail(*kind));
            let keys: Vec<&str> = kinds.map(VerdictKind::key).collect();
            return Err(format!("expected wrong, broken, or one of {}", keys.join(", ")));
        }
        Ok(FailOn(named))
    }
}

/// Whether a verdict of this kind says something about the backend that can be a failure. An incomplete
/// run has an exit code of its own.
fn can_fail(kind: VerdictKind) -> bool {
    match kind {
        VerdictKind::Mismatch
        | VerdictKind::Unsupported
        | VerdictKind::NotTaken
        | VerdictKind::Error
        | VerdictKind::Crash
        | VerdictKind::Timeout
        | VerdictKind::OutOfMemory
        | VerdictKind::Protocol
        | VerdictKind::Nondeterministic
        | VerdictKind::VariantDiffers
        | VerdictKind::Flaky => true,
        VerdictKind::Pass
        | VerdictKind::Disputed
        | VerdictKind::Undecided
        | VerdictKind::Skipped
        | VerdictKind::NotRun => false,
    }
}

/// Whether a backend has a verdict of `fail_on`; a message for each backend on stderr.
pub(super) fn fails(report: &Report, fail_on: &[FailOn]) -> bool {
    let named = |kind: VerdictKind| fail_on.iter().any(|FailOn(kinds)| kinds.contains(&kind));
    let mut any = false;
    for backend in &report.backends {
        let kinds = VerdictKind::ALL.into_iter().filter(|kind| named(*kind));
        let counts = kinds.map(|kind| (kind, backend.tally.sum(|other| other == kind)));
        let found: Vec<String> = counts
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| format!("{count} {}", kind.key()))
            .collect();
        if !found.is_empty() {
            note(format_args!(
                "error: {} fails by --fail-on: {}; results.csv lists the cases",
                backend.info.name,
                found.join(", ")
            ));
            any = true;
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[VerdictKind]) {
        assert_eq!(
            text.parse::<FailOn>().map(|FailOn(kinds)| kinds).as_deref(),
            Ok(expected)
        );
    }

    #[test]
    fn a_word_names_verdicts() {
        check("mismatch", &[VerdictKind::Mismatch]);
        check("out_of_memory", &[VerdictKind::OutOfMemory]);
        check("unsupported", &[VerdictKind::Unsupported]);
        let wrong: FailOn = "wrong".parse().expect("a word");
        let broken: FailOn = "broken".parse().expect("a word");
        assert!(wrong.0.contains(&VerdictKind::Mismatch) && !wrong.0.contains(&VerdictKind::Crash));
        assert!(broken.0.contains(&VerdictKind::Crash) && !broken.0.contains(&VerdictKind::Mismatch));
    }

    #[test]
    fn other_words_are_refused() {
        for text in ["", "pass", "not_run", "disputed", "skipped", "crashed"] {
            let error = text.parse::<FailOn>().expect_err("an error");
            assert!(
                error.starts_with("expected wrong, broken, or one of mismatch"),
                "{error}"
            );
        }
    }
}
