//! What failing cases have in common, and passing ones lack.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::thousands;
use crate::{CaseRecord, Outcome, Report, VerdictKind};

/// A kind of property of a case, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PropertyKind {
    /// An operator of the model, of any version.
    Operator,
    /// A version of an operator.
    Version,
    /// An element type.
    Type,
    /// An attribute with its value.
    Attribute,
    /// The message of a backend that gives no answer, without its numbers and names.
    Message,
}

/// A property that failing cases share and passing ones lack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shared {
    /// Its kind.
    pub kind: PropertyKind,
    /// Its value: `Softmax`, `Softmax-13`, `float16`, `axis=1`.
    pub value: String,
    /// The number of failing cases that have it.
    pub failing: u64,
    /// The number of failing cases.
    pub of_failing: u64,
    /// The number of passing cases of the backend that have it.
    pub passing: u64,
}

impl Shared {
    /// `all 44 have the operator Softmax, and no case that passes has it`.
    pub fn words(&self) -> String {
        let count = if self.failing == self.of_failing {
            format!("all {}", thousands(self.failing))
        } else {
            format!("{} of {}", thousands(self.failing), thousands(self.of_failing))
        };
        let what = match self.kind {
            PropertyKind::Operator => "the operator",
            PropertyKind::Version => "the operator version",
            PropertyKind::Type => "the type",
            PropertyKind::Attribute => "the attribute",
            PropertyKind::Message => "the message",
        };
        let passing = match self.passing {
            0 => "no case that passes has it".to_owned(),
            1 => "one case that passes has it".to_owned(),
            count => format!("{} that pass have it", thousands(count)),
        };
        format!("{count} have {what} {}, and {passing}", self.value)
    }

    /// The operator, if the property is one or a version of one.
    pub fn operator(&self) -> Option<&str> {
        match self.kind {
            PropertyKind::Operator => Some(&self.value),
            PropertyKind::Version => Some(unversioned(&self.value)),
            PropertyKind::Type | PropertyKind::Attribute | PropertyKind::Message => None,
        }
    }
}

/// The operator of a version: `ai.onnx.ml.Scaler` of `ai.onnx.ml.Scaler-1`.
pub fn unversioned(operator: &str) -> &str {
    operator.rsplit_once('-').map_or(operator, |(name, _)| name)
}

/// The properties that at least nine tenths of these failing cases of a backend share, and that fewer than
/// half of its passing cases have; of each kind the one that the fewest passing cases have. Empty for fewer
/// than two cases.
pub fn shared(report: &Report, backend: &str, failing: &BTreeSet<&str>) -> Vec<Shared> {
    let exercised: BTreeMap<&str, _> = report
        .exercises
        .iter()
        .map(|of| (of.case.as_str(), of.exercises.as_slice()))
        .collect();
    let (mut with, mut passing) = (Counts::new(), Counts::new());
    let (mut count, mut passes) = (0_u64, 0_u64);
    for record in report.cases_of(backend) {
        let is_failing = failing.contains(record.case.as_str());
        if !is_failing && record.verdict.kind() != VerdictKind::Pass {
            continue;
        }
        let (counts, all) = if is_failing {
            (&mut with, &mut count)
        } else {
            (&mut passing, &mut passes)
        };
        *all += 1;
        let exercises = exercised.get(record.case.as_str()).copied().unwrap_or_default();
        for property in properties(record, exercises) {
            *counts.entry(property).or_default() += 1;
        }
    }
    let mut best: BTreeMap<PropertyKind, Shared> = BTreeMap::new();
    for ((kind, value), failing) in with {
        let passing = passing.get(&(kind, value.clone())).copied().unwrap_or_default();
        if count < 2 || failing * 10 < count * 9 || passing * 2 > passes {
            continue;
        }
        let found = Shared {
            kind,
            value,
            failing,
            of_failing: count,
            passing,
        };
        let rank = |shared: &Shared| (std::cmp::Reverse(shared.failing), shared.passing);
        match best.get(&kind) {
            Some(known) if rank(known) <= rank(&found) => {}
            _ => drop(best.insert(kind, found)),
        }
    }
    let is_news = |one: &&Shared| match (one.kind, best.get(&PropertyKind::Operator)) {
        // A version says more than its operator only if other versions pass.
        (PropertyKind::Version, Some(operator)) => {
            (one.failing, one.passing) != (operator.failing, operator.passing)
        }
        _ => true,
    };
    best.values().filter(is_news).cloned().collect()
}

type Counts = BTreeMap<(PropertyKind, String), u64>;

/// The properties of a case.
fn properties(record: &CaseRecord, exercises: &[crate::Exercise]) -> BTreeSet<(PropertyKind, String)> {
    let mut found = BTreeSet::new();
    for operator in &record.operators {
        found.insert((PropertyKind::Operator, unversioned(operator).to_owned()));
        found.insert((PropertyKind::Version, operator.clone()));
    }
    for exercise in exercises {
        let types = exercise.types.values().flatten();
        found.extend(types.map(|of| (PropertyKind::Type, of.clone())));
        for (name, values) in &exercise.attributes {
            found.insert((PropertyKind::Attribute, format!("{name}={}", values.join(","))));
        }
    }
    if record.verdict.kind().outcome() == Outcome::Broken && !record.reason.is_empty() {
        found.insert((PropertyKind::Message, pattern(&record.reason)));
    }
    found
}

/// A message without its numbers and quoted names.
pub(crate) fn pattern(message: &str) -> String {
    /// The maximum length in characters.
    const CLIPPED: usize = 120;
    let mut text = String::new();
    let mut quoted = false;
    for character in message.chars() {
        match character {
            '`' | '"' | '\'' => {
                quoted = !quoted;
                text.push(character);
            }
            _ if quoted => {}
            digit if digit.is_ascii_digit() && text.ends_with('…') => {}
            digit if digit.is_ascii_digit() => text.push('…'),
            other => text.push(other),
        }
    }
    crate::text::clip(&text, CLIPPED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CaseExercises, ErrorStage, Event, Exercise, MismatchKind, Verdict};

    /// A case of one operator on a type, and whether it passes.
    fn case(name: &str, operator: &str, dtype: &str, verdict: Verdict) -> [Event; 2] {
        let id = format!("onnx-1.22.0/node/{name}");
        let exercise = Exercise {
            operator: operator.to_owned(),
            types: [("T".to_owned(), vec![dtype.to_owned()])].into(),
            attributes: BTreeMap::new(),
            optional: Vec::new(),
        };
        let record = CaseRecord {
            case: id.clone(),
            also_in: Vec::new(),
            backend: "mine".to_owned(),
            reason: match verdict {
                Verdict::Error(_) => format!("no kernel {} for `{name}`", name.len()),
                _ => String::new(),
            },
            verdict,
            operators: vec![operator.to_owned()],
            outputs: Vec::new(),
            data_sets: Vec::new(),
            peak_bytes: None,
            load_ns: None,
            run_ns: None,
            official: None,
            level: None,
            place: None,
            attempts: 1,
        };
        [
            Event::CaseFinished(Box::new(record)),
            Event::CaseExercises(CaseExercises {
                case: id,
                exercises: vec![exercise],
            }),
        ]
    }

    #[track_caller]
    fn check(cases: &[[Event; 2]], expected: &[&str]) {
        let report = Report::fold(cases.iter().flatten().cloned());
        let fails = |record: &&CaseRecord| record.verdict != Verdict::Pass;
        let failing: Vec<&str> = report
            .cases
            .iter()
            .filter(fails)
            .map(|record| record.case.as_str())
            .collect();
        let found = shared(&report, "mine", &failing.iter().copied().collect());
        let words: Vec<String> = found.iter().map(Shared::words).collect();
        assert_eq!(words, expected);
    }

    const WRONG: Verdict = Verdict::Mismatch(MismatchKind::Numeric);

    #[test]
    fn what_only_failing_cases_have_is_found() {
        let passes = |name: &str, operator: &str, dtype: &str| case(name, operator, dtype, Verdict::Pass);
        let wrong = |name: &str, operator: &str, dtype: &str| case(name, operator, dtype, WRONG);
        check(
            &[
                wrong("a", "Softmax-13", "float"),
                wrong("b", "Softmax-1", "float"),
                passes("c", "Abs-13", "float"),
                passes("d", "Add-14", "double"),
                passes("e", "Mul-14", "float"),
            ],
            &["all 2 have the operator Softmax, and no case that passes has it"],
        );
        check(
            &[
                wrong("a", "Softmax-13", "float16"),
                wrong("b", "Softmax-13", "float16"),
                passes("c", "Softmax-1", "float"),
                passes("d", "Add-14", "double"),
                passes("e", "Mul-14", "float"),
            ],
            &[
                "all 2 have the operator Softmax, and one case that passes has it",
                "all 2 have the operator version Softmax-13, and no case that passes has it",
                "all 2 have the type float16, and no case that passes has it",
            ],
        );
    }

    #[test]
    fn messages_are_compared_without_numbers_and_names() {
        let refused = Verdict::Error(ErrorStage::Load);
        check(
            &[
                case("a", "Abs-13", "float", refused),
                case("bcd", "Add-14", "float", refused),
                case("e", "Mul-14", "float", Verdict::Pass),
            ],
            &["all 2 have the message no kernel … for ``, and no case that passes has it"],
        );
    }

    #[test]
    fn one_case_or_nothing_in_common_says_nothing() {
        check(
            &[
                case("a", "Abs-13", "float", WRONG),
                case("b", "Add-14", "float", Verdict::Pass),
            ],
            &[],
        );
        check(
            &[
                case("a", "Abs-13", "float", WRONG),
                case("b", "Add-14", "float", WRONG),
                case("c", "Mul-14", "float", Verdict::Pass),
            ],
            &[],
        );
        check(&[], &[]);
    }
}
