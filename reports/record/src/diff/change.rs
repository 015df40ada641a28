//! The change of one case between two runs.

use schemars::JsonSchema;
use serde::Serialize;

use super::CaseDiff;
use crate::float::Float;
use crate::text::thousands;
use crate::{CaseRecord, Level, OutputStats, VerdictKind};

/// A change of a case, sorted by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It passed before, and does not pass now.
    Broken,
    /// It passes in neither run, and the kind of verdict differs.
    FailsDifferently,
    /// It passes in both runs, now with a larger error.
    LessAccurate,
    /// It passes in both runs; the answer differs, with the same accuracy.
    AnswerChanged,
    /// It passes in both runs, now with a smaller error.
    MoreAccurate,
    /// It did not pass before, and passes now.
    Fixed,
    /// One of the runs has no result: excluded, not run, or unreadable.
    NotComparable,
    /// Only the earlier run has it.
    Went,
    /// Only the later run has it.
    Came,
}

impl ChangeKind {
    /// All kinds, sorted by severity.
    pub const ALL: [Self; 9] = [
        Self::Broken,
        Self::FailsDifferently,
        Self::LessAccurate,
        Self::AnswerChanged,
        Self::MoreAccurate,
        Self::Fixed,
        Self::NotComparable,
        Self::Went,
        Self::Came,
    ];

    /// The word in `--fail-on`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Broken => "regressed",
            Self::Went => "gone",
            Self::Came => "added",
            other => other.key(),
        }
    }

    /// The stable key in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::FailsDifferently => "fails_differently",
            Self::LessAccurate => "less_accurate",
            Self::AnswerChanged => "answer_changed",
            Self::MoreAccurate => "more_accurate",
            Self::Fixed => "fixed",
            Self::NotComparable => "not_comparable",
            Self::Went => "went",
            Self::Came => "came",
        }
    }

    /// The name in reports.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Broken => "regressed",
            Self::FailsDifferently => "fails differently",
            Self::LessAccurate => "less accurate",
            Self::AnswerChanged => "answer changed",
            Self::MoreAccurate => "more accurate",
            Self::Fixed => "fixed",
            Self::NotComparable => "not comparable",
            Self::Went => "case gone",
            Self::Came => "case added",
        }
    }

    /// The name with a number of changes: `1 case added`, `1,764 cases added`, `2 regressed`.
    pub fn counted(self, count: u64) -> String {
        let number = thousands(count);
        match self {
            Self::Went | Self::Came if count != 1 => {
                format!("{number} {}", self.label().replace("case", "cases"))
            }
            _ => format!("{number} {}", self.label()),
        }
    }

    /// A description.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Broken => "passed before, does not pass now",
            Self::FailsDifferently => "does not pass in either run, with another verdict",
            Self::LessAccurate => {
                "passes in both, but the largest error is at least twice as large, or of a worse level"
            }
            Self::AnswerChanged => "passes in both with about the same error, but the answer differs",
            Self::MoreAccurate => {
                "passes in both, and the largest error is at most half as large, or of a better level"
            }
            Self::Fixed => "did not pass before, passes now",
            Self::NotComparable => "excluded, not run or unreadable in one of the runs",
            Self::Went => "only the earlier run has the case",
            Self::Came => "only the later run has the case",
        }
    }
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Side {
    /// The verdict.
    pub verdict: VerdictKind,
    /// Its detail: `numeric`, `load`, `SIGSEGV`; may be empty.
    pub detail: String,
    /// The reason; empty for a pass.
    pub reason: String,
    /// How well the answer is explained.
    pub level: Option<Level>,
    /// The largest error in units in the last place; NaN if nothing was measured.
    #[serde(with = "Float")]
    pub max_ulp: f64,
}

impl Side {
    fn of(record: &CaseRecord) -> Self {
        Self {
            verdict: record.verdict.kind(),
            detail: record.verdict.detail().into_owned(),
            reason: record.reason.clone(),
            level: record.level,
            max_ulp: record.worst(|output| output.max_ulp).unwrap_or(f64::NAN),
        }
    }

    /// `mismatch (numeric)`, `pass, 3 ULP`.
    pub fn words(&self) -> String {
        let label = self.verdict.label();
        match (self.detail.as_str(), self.verdict, self.max_ulp) {
            ("", VerdictKind::Pass, ulp) if !ulp.is_nan() => {
                format!("{label}, {} ULP", crate::text::ulp(ulp))
            }
            ("", ..) => label.to_owned(),
            (detail, ..) => format!("{label} ({detail})"),
        }
    }
}

/// The factor and the number of units in the last place by which an error may differ, because another
/// order of the same sums can cause this.
const FACTOR: f64 = 2.0;
const UNITS: f64 = 2.0;

/// The change, if both runs judged the case; `None` if nothing changed.
pub(super) fn compare(before: &CaseRecord, after: &CaseRecord) -> (bool, Option<CaseDiff>) {
    let (old, new) = (before.verdict.kind(), after.verdict.kind());
    let silent = |kind| {
        matches!(
            kind,
            VerdictKind::Disputed | VerdictKind::Undecided | VerdictKind::Skipped | VerdictKind::NotRun
        )
    };
    let kind = match (old, new) {
        (old, new) if silent(old) || silent(new) => (old != new).then_some(ChangeKind::NotComparable),
        (VerdictKind::Pass, VerdictKind::Pass) => accuracy(before, after),
        (VerdictKind::Pass, _) => Some(ChangeKind::Broken),
        (_, VerdictKind::Pass) => Some(ChangeKind::Fixed),
        (old, new) => (old != new).then_some(ChangeKind::FailsDifferently),
    };
    let change = kind.map(|kind| CaseDiff {
        kind,
        case: after.case.clone(),
        operators: after.operators.clone(),
        before: Some(Side::of(before)),
        after: Some(Side::of(after)),
    });
    (!silent(old) && !silent(new), change)
}

/// The change of a case that only one run has.
pub(super) fn one_sided(kind: ChangeKind, record: &CaseRecord) -> CaseDiff {
    let side = || Some(Side::of(record));
    let came = kind == ChangeKind::Came;
    CaseDiff {
        kind,
        case: record.case.clone(),
        operators: record.operators.clone(),
        before: if came { None } else { side() },
        after: if came { side() } else { None },
    }
}

/// Compares the accuracy of two passes.
fn accuracy(before: &CaseRecord, after: &CaseRecord) -> Option<ChangeKind> {
    // The values of a random operator are not compared.
    if before.level.is_none() || after.level.is_none() || same_answer(before, after) {
        return None;
    }
    let ulp = |record: &CaseRecord| record.worst(|output| output.max_ulp).unwrap_or_default();
    let (old, new) = (ulp(before), ulp(after));
    let grows = |from: f64, to: f64| to > from * FACTOR && to >= from + UNITS;
    Some(match before.level.cmp(&after.level) {
        // Another order of the same sums can change exact to within rounding.
        std::cmp::Ordering::Less if after.level > Some(Level::WithinRounding) => ChangeKind::LessAccurate,
        std::cmp::Ordering::Greater if before.level > Some(Level::WithinRounding) => ChangeKind::MoreAccurate,
        _ if grows(old, new) => ChangeKind::LessAccurate,
        _ if grows(new, old) => ChangeKind::MoreAccurate,
        _ => ChangeKind::AnswerChanged,
    })
}

/// Whether every output is equally far from the expected one in all measures.
fn same_answer(before: &CaseRecord, after: &CaseRecord) -> bool {
    let same = |(a, b): (&OutputStats, &OutputStats)| {
        let equal = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan();
        a.name == b.name
            && a.unequal == b.unequal
            && a.ulps == b.ulps
            && a.special == b.special
            && equal(a.max_abs, b.max_abs)
            && equal(a.mean_abs, b.mean_abs)
            && equal(a.bias, b.bias)
    };
    before.outputs.len() == after.outputs.len() && before.outputs.iter().zip(&after.outputs).all(same)
}
