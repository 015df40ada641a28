//! How an answer differs from the expected one: the class by which disagreements are grouped.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use regex::Regex;
use run_record::{CaseRecord, MismatchKind, Verdict};

/// How an answer differs from the expected one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symptom {
    /// A number for another number.
    Value,
    /// NaN in place of another value, or another value in place of NaN.
    Nan,
    /// An infinity in place of another value, or another value in place of an infinity.
    Infinity,
    /// Another shape.
    Shape,
    /// Another element type, or another kind of value.
    Type,
    /// More or fewer outputs, or outputs with other names.
    Outputs,
    /// Elements that the distribution cannot produce.
    Draw,
    /// Different answers in different runs.
    Unsteady,
    /// The process ended.
    Crash,
}

impl Symptom {
    /// All symptoms, with their names in the ledger.
    pub const ALL: [(Symptom, &'static str); 9] = [
        (Symptom::Value, "value"),
        (Symptom::Nan, "nan"),
        (Symptom::Infinity, "infinity"),
        (Symptom::Shape, "shape"),
        (Symptom::Type, "type"),
        (Symptom::Outputs, "outputs"),
        (Symptom::Draw, "draw"),
        (Symptom::Unsteady, "unsteady"),
        (Symptom::Crash, "crash"),
    ];

    /// The symptom of a record; `None` if the backend gave no answer, or a right one.
    pub fn of(record: &CaseRecord) -> Option<Symptom> {
        match record.verdict {
            Verdict::Mismatch(kind) => Some(match kind {
                MismatchKind::Numeric | MismatchKind::Node => of_elements(&record.reason),
                MismatchKind::Shape => Symptom::Shape,
                MismatchKind::Dtype => Symptom::Type,
                MismatchKind::Count | MismatchKind::Name => Symptom::Outputs,
            }),
            Verdict::Nondeterministic | Verdict::Flaky(_) => Some(Symptom::Unsteady),
            Verdict::Crash { .. } => Some(Symptom::Crash),
            Verdict::Pass
            | Verdict::VariantDiffers(_)
            | Verdict::Unsupported
            | Verdict::NotTaken
            | Verdict::Error(_)
            | Verdict::Timeout
            | Verdict::OutOfMemory
            | Verdict::Protocol
            | Verdict::Disputed(_)
            | Verdict::Undecided
            | Verdict::Skipped
            | Verdict::NotRun => None,
        }
    }
}

/// Determined by the first element that differs, which the reason shows: that of a tolerance, or that of the
/// judge.
fn of_elements(reason: &str) -> Symptom {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        let pair = r"(?:got|element \[[^\]]*\] is) ([^,;]+), expected ([^,;]+)";
        Regex::new(pair).expect("the expression is valid")
    });
    let Some(pair) = PAIR.captures(reason) else {
        return if reason.contains("drawn") || reason.contains("which is not") {
            Symptom::Draw
        } else {
            Symptom::Value
        };
    };
    let has = |text: &str| {
        pair.iter()
            .skip(1)
            .flatten()
            .any(|one| one.as_str().contains(text))
    };
    match (has("NaN"), has("inf")) {
        (true, _) => Symptom::Nan,
        (false, true) => Symptom::Infinity,
        (false, false) => Symptom::Value,
    }
}

impl fmt::Display for Symptom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Symptom::ALL.iter().find(|(symptom, _)| symptom == self);
        f.write_str(name.map_or("?", |(_, name)| name))
    }
}

impl FromStr for Symptom {
    type Err = String;

    fn from_str(text: &str) -> Result<Symptom, String> {
        let found = Symptom::ALL.iter().find(|(_, name)| *name == text);
        found.map(|(symptom, _)| *symptom).ok_or_else(|| {
            let names: Vec<&str> = Symptom::ALL.iter().map(|(_, name)| *name).collect();
            format!("`{text}` is not a symptom; expected one of {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_element_decides() {
        let check = |reason: &str, expected| assert_eq!(of_elements(reason), expected, "{reason}");
        check(
            "`y`: 1 of 2 elements differ; first at [0]: got 2, expected 1",
            Symptom::Value,
        );
        check(
            "first at [0]: got NaN, expected 1; follows the reading a=b",
            Symptom::Nan,
        );
        check(
            "max abs inf; first at []: got -inf, expected 1",
            Symptom::Infinity,
        );
        check(
            "`y0`: 1 of 1 elements differ, max abs inf; first at []: got 1, expected 2",
            Symptom::Value,
        );
        check("`y0`: element 0 is 4, which is not 0 or 8", Symptom::Draw);
    }

    #[test]
    fn names_round_trip() {
        for (symptom, name) in Symptom::ALL {
            assert_eq!(name.parse(), Ok(symptom));
            assert_eq!(symptom.to_string(), name);
        }
        assert!("odd".parse::<Symptom>().is_err());
    }
}
