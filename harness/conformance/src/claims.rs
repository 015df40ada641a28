//! Compares the operator versions that a backend declares with its results in a run.

use std::collections::BTreeMap;

use backend_api::Capabilities;
use onnx_schema::canonical_domain;
use run_record::{CaseRecord, Exercise, Outcome, VerdictKind};

/// The declaration and the results for an operator version with types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// `Softmax-13`.
    pub operator: String,
    /// `T=float16, axes=int64`.
    pub types: String,
    /// Whether the backend declares the version: by its list of operators, or by its highest opset if it
    /// has no list. `None` if it declares neither.
    pub declared: Option<bool>,
    pub results: Results,
}

/// The numbers of cases by result. A case that passes counts for every operator in it; a case that fails
/// counts for its operator only if no other operator can be the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// The answer was right.
    pub pass: u64,
    /// The answer was wrong.
    pub wrong: u64,
    /// The backend reported that it does not support the model.
    pub unsupported: u64,
    /// There was no answer.
    pub failed: u64,
}

/// A difference between declaration and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The version is declared, no case passes, and some are refused or fail.
    OverClaim,
    /// The version is not declared, but some case passes.
    UnderClaim,
}

impl Finding {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Finding::OverClaim => "over-claim",
            Finding::UnderClaim => "under-claim",
        }
    }
}

impl Claim {
    /// The difference between declaration and results. A wrong answer is a fault, not a difference.
    pub fn finding(&self) -> Option<Finding> {
        match (self.declared, self.results.pass) {
            (Some(true), 0)
                if self.results.unsupported + self.results.failed > 0 && self.results.wrong == 0 =>
            {
                Some(Finding::OverClaim)
            }
            (Some(false), 1..) => Some(Finding::UnderClaim),
            _ => None,
        }
    }
}

/// The claims of a backend for everything that its cases exercise, by operator and types.
pub fn claims<'r>(
    records: impl Iterator<Item = &'r CaseRecord>,
    exercises: &BTreeMap<String, Vec<Exercise>>,
    capabilities: &Capabilities,
) -> Vec<Claim> {
    let mut found: BTreeMap<(String, String), Results> = BTreeMap::new();
    for record in records {
        let Some(of_case) = exercises.get(&record.case) else {
            continue;
        };
        let uses: Vec<&Exercise> = of_case
            .iter()
            .filter(|exercise| !is_plumbing(&exercise.operator))
            .collect();
        for exercise in &uses {
            let results = found
                .entry((exercise.operator.clone(), types(exercise)))
                .or_default();
            results.add(record.verdict.kind(), uses.len() == 1);
        }
    }
    found
        .into_iter()
        .map(|((operator, types), results)| Claim {
            declared: declares(capabilities, &operator),
            operator,
            types,
            results,
        })
        .collect()
}

impl Results {
    fn add(&mut self, verdict: VerdictKind, is_alone: bool) {
        let count = match (verdict, verdict.outcome()) {
            (_, Outcome::Passed) => &mut self.pass,
            _ if !is_alone => return,
            (VerdictKind::Unsupported | VerdictKind::NotTaken, _) => &mut self.unsupported,
            (_, Outcome::Wrong) => &mut self.wrong,
            (_, Outcome::Broken) => &mut self.failed,
            (_, Outcome::NotJudged) => return,
        };
        *count += 1;
    }
}

/// Operators that occur as helpers in cases of other operators.
fn is_plumbing(operator: &str) -> bool {
    matches!(operator.split_once('-'), Some(("Constant" | "Identity", _)))
}

fn types(exercise: &Exercise) -> String {
    let of = |(name, types): (&String, &Vec<String>)| format!("{name}={}", types.join("|"));
    exercise.types.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// Whether a backend declares an operator version, `Softmax-13` or `ai.onnx.ml.Scaler-1`.
fn declares(capabilities: &Capabilities, operator: &str) -> Option<bool> {
    if !capabilities.operators.is_empty() {
        return Some(capabilities.operators.iter().any(|known| known == operator));
    }
    if capabilities.opsets.is_empty() {
        return None;
    }
    let (name, since) = operator.rsplit_once('-')?;
    let domain = name.rsplit_once('.').map_or("", |(domain, _)| domain);
    let highest = capabilities
        .opsets
        .iter()
        .find(|(known, _)| canonical_domain(known) == domain);
    Some(match (highest, since.parse::<i64>()) {
        (Some((_, highest)), Ok(since)) => since <= *highest,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use run_record::{ErrorStage, MismatchKind, Verdict};

    use super::*;

    fn record(case: &str, verdict: Verdict) -> CaseRecord {
        CaseRecord {
            case: case.to_owned(),
            backend: "b".to_owned(),
            verdict,
            attempts: 1,
            ..CaseRecord::default()
        }
    }

    fn exercise(operator: &str, of: &str) -> Exercise {
        Exercise {
            operator: operator.to_owned(),
            types: [("T".to_owned(), vec![of.to_owned()])].into(),
            attributes: BTreeMap::new(),
            optional: Vec::new(),
        }
    }

    /// Abs-13 is declared and refused in half; Neg-13 is not declared and passes; a refused case with
    /// two operators counts for neither; a wrong answer is not an over-claim.
    #[test]
    fn declarations_are_compared_with_verdicts() {
        let exercises = BTreeMap::from([
            ("a".to_owned(), vec![exercise("Abs-13", "float")]),
            ("b".to_owned(), vec![exercise("Abs-13", "float16")]),
            (
                "c".to_owned(),
                vec![exercise("Constant-13", "float"), exercise("Neg-13", "float")],
            ),
            (
                "d".to_owned(),
                vec![exercise("Abs-13", "double"), exercise("Neg-13", "double")],
            ),
            ("e".to_owned(), vec![exercise("Exp-13", "float")]),
        ]);
        let records = [
            record("a", Verdict::Pass),
            record("b", Verdict::Unsupported),
            record("c", Verdict::Pass),
            record("d", Verdict::Error(ErrorStage::Load)),
            record("e", Verdict::Mismatch(MismatchKind::Numeric)),
        ];
        let listed = Capabilities {
            operators: vec!["Abs-13".to_owned(), "Exp-13".to_owned()],
            ..Capabilities::default()
        };
        let found = |capabilities: &Capabilities| -> Vec<(String, String, &'static str)> {
            let claims = claims(records.iter(), &exercises, capabilities);
            let told = claims.into_iter().filter_map(|claim| {
                let finding = claim.finding()?.name();
                Some((claim.operator, claim.types, finding))
            });
            told.collect()
        };
        let row = |operator: &str, types: &str, finding| (operator.to_owned(), types.to_owned(), finding);
        assert_eq!(
            found(&listed),
            [
                row("Abs-13", "T=float16", "over-claim"),
                row("Neg-13", "T=float", "under-claim")
            ]
        );
        assert!(found(&Capabilities::default()).is_empty());
        let by_opset = |opset| Capabilities {
            opsets: [("ai.onnx".to_owned(), opset)].into(),
            ..Capabilities::default()
        };
        assert_eq!(found(&by_opset(13)), [row("Abs-13", "T=float16", "over-claim")]);
        assert_eq!(
            found(&by_opset(12)),
            [
                row("Abs-13", "T=float", "under-claim"),
                row("Neg-13", "T=float", "under-claim")
            ]
        );
    }
}
