//! Decides whether two failures are the same.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use backend_api::Named;
use harness_compare::{Comparison, leaves};
use harness_conformance::gate::lasting;
use harness_conformance::judge::Judgement;
use regex::Regex;
use run_record::{MismatchKind, Verdict};

use crate::deviation::deviation;
use crate::trial::Judged;

/// The common properties of failures that count as the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The verdict, with the kind of mismatch, the stage of an error, the signal of a crash.
    pub verdict: Verdict,
    /// The reason without names, numbers and folders; empty for a mismatch, whose reason consists of
    /// numbers.
    pub reason: String,
    /// How the answer is wrong: the axis that is too long or too short, special values, a large or a
    /// small error.
    pub form: String,
}

/// The threshold of a large error, relative to the largest element.
const LARGE: f64 = 1e-2;

/// Names in quotes, and numbers.
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"`[^`]*`|'[^']*'|"[^"]*"|0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?"#)
        .expect("the expression is valid")
});

/// A list of removed items.
static LISTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"#(?:[,x ]+#)+").expect("the expression is valid"));

impl Signature {
    /// The signature of a failure without an answer.
    pub(crate) fn of_failure(judgement: &Judgement) -> Signature {
        Signature {
            verdict: judgement.verdict,
            reason: normalised(&judgement.reason),
            form: String::new(),
        }
    }

    /// The signature of an answer; `None` if it is right.
    pub(crate) fn of_answer(judged: &Judged, expected: &[Named], observed: &[Named]) -> Option<Signature> {
        if !judged.standing.is_wrong() {
            return None;
        }
        // A wrong answer may be within the bounds of rounding errors, which are those of the worst case.
        let mismatch = judged.comparison.mismatch.as_ref();
        let kind = mismatch.map_or(MismatchKind::Numeric, |mismatch| mismatch.kind);
        Some(Signature {
            verdict: Verdict::Mismatch(kind),
            reason: String::new(),
            form: match kind {
                MismatchKind::Numeric => numeric(&judged.comparison, expected, observed),
                MismatchKind::Shape => shape(expected, observed).unwrap_or_default(),
                MismatchKind::Dtype | MismatchKind::Count | MismatchKind::Name | MismatchKind::Node => {
                    String::new()
                }
            },
        })
    }
}

/// A reason without names, numbers and folders.
pub(crate) fn normalised(reason: &str) -> String {
    let reason = lasting(reason, &[]);
    let reason = PASSING.replace_all(&reason, "#");
    LISTS.replace_all(&reason, "#").into_owned()
}

/// The special values that are wrong, or the size of the error.
fn numeric(comparison: &Comparison, expected: &[Named], observed: &[Named]) -> String {
    let special = comparison
        .outputs
        .iter()
        .flat_map(|output| output.special.named());
    let names: BTreeSet<&str> = special.map(|(_, name)| name).collect();
    match deviation(expected, observed) {
        _ if !names.is_empty() => Vec::from_iter(names).join(", "),
        apart if apart >= LARGE => "large".to_owned(),
        _ => "small".to_owned(),
    }
}

/// The first axis of another extent, and whether it is too long.
fn shape(expected: &[Named], observed: &[Named]) -> Option<String> {
    let observed = leaves(observed);
    leaves(expected).iter().find_map(|(name, expected)| {
        let (_, observed) = observed.iter().find(|(known, _)| known == name)?;
        if expected.rank() != observed.rank() {
            return Some("rank".to_owned());
        }
        let mut pairs = expected.shape().iter().zip(observed.shape()).enumerate();
        let (axis, (wanted, found)) = pairs.find(|(_, (wanted, found))| wanted != found)?;
        Some(format!(
            "axis {axis} too {}",
            if found > wanted { "long" } else { "short" }
        ))
    })
}

#[cfg(test)]
mod tests {
    use run_record::ErrorStage;

    use super::*;

    #[test]
    fn names_numbers_and_addresses_are_ignored() {
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
