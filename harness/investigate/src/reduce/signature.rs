//! What makes two failures the same.

use std::sync::LazyLock;

use harness_compare::Comparison;
use harness_conformance::gate::lasting;
use harness_conformance::judge::Judgement;
use regex::Regex;
use reports::record::{Level, Verdict};

/// What two failures have in common that are the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The verdict, with the kind of mismatch, the stage of an error, the signal of a crash.
    pub verdict: Verdict,
    /// The reason without names, numbers and folders; empty for a mismatch, whose reason is all numbers.
    pub reason: String,
    /// Whether a numeric difference is outside of what rounding and the official tolerance allow.
    pub outside: bool,
}

/// Names in quotes, and numbers.
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"`[^`]*`|'[^']*'|"[^"]*"|0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?"#)
        .expect("the expression is sound")
});

/// A list of what was left out.
static LISTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"#(?:[,x ]+#)+").expect("the expression is sound"));

impl Signature {
    /// Of a failure without an answer.
    pub(super) fn of_failure(judgement: &Judgement) -> Signature {
        let reason = lasting(&judgement.reason, &[]);
        let reason = PASSING.replace_all(&reason, "#");
        Signature {
            verdict: judgement.verdict,
            reason: LISTS.replace_all(&reason, "#").into_owned(),
            outside: false,
        }
    }

    /// Of an answer; none where it is right.
    pub(super) fn of_answer(comparison: &Comparison) -> Option<Signature> {
        let mismatch = comparison.mismatch.as_ref()?;
        Some(Signature {
            verdict: Verdict::Mismatch(mismatch.kind),
            reason: String::new(),
            outside: comparison.level() == Some(Level::Outside),
        })
    }
}

#[cfg(test)]
mod tests {
    use reports::record::ErrorStage;

    use super::*;

    #[test]
    fn names_numbers_and_places_do_not_count() {
        let of = |reason: &str| {
            Signature::of_failure(&Judgement {
                verdict: Verdict::Error(ErrorStage::Load),
                reason: reason.to_owned(),
            })
            .reason
        };
        let check = |a: &str, b: &str| assert_eq!(of(a), of(b));
        check(
            "node `a`: no kernel for [1, 2, 3]",
            "node `b_7`: no kernel for [4]",
        );
        check("cannot compile 'x' at 0x7f3a", "cannot compile 'y' at 0x11");
        check("/home/me/a.cc:12 failed", "/srv/you/a.cc:97 failed");
        assert_ne!(of("no kernel for Add"), of("no kernel for Mul"));
    }
}
