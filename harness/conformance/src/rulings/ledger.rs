//! The ledger of rulings: which side is wrong if a backend and the witness disagree on generated cases.

use serde::Deserialize;

use super::{Group, Symptom};

/// The built-in ledger.
const EMBEDDED: &str = include_str!("../../../../onnx-tests/rulings.toml");

/// The version of the file format.
const FORMAT: u32 = 1;

/// Every ruling.
#[derive(Clone, Debug, Default)]
pub struct Rulings {
    all: Vec<Ruling>,
}

/// A ruling on the disagreements of one cause.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruling {
    /// The kind of backend: `ort`.
    pub backend: String,
    /// The operators, without versions; `*` for all.
    pub operators: Vec<String>,
    /// How the answers differ.
    #[serde(deserialize_with = "symptoms")]
    pub symptoms: Vec<Symptom>,
    /// Labels that every such case must have, as in `T=float16`; for operators with several causes.
    #[serde(default)]
    pub only: Vec<String>,
    /// Which side is wrong.
    pub wrong: Party,
    /// The fault.
    pub what: String,
    /// The sentence of the specification, with its location.
    pub sentence: String,
    /// A case of seed 0 that shows the fault, as small as possible.
    pub case: String,
    /// Whether the backend may be right by chance, for example if it draws or returns uninitialised
    /// memory: then the ruling is never stale.
    #[serde(default)]
    pub chance: bool,
}

/// Which side is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Party {
    Backend,
    /// The reference: a bug.
    Reference,
    /// Neither: the specification is ambiguous or silent, and the reference implements one
    /// interpretation.
    Specification,
}

impl Party {
    /// The name in reports.
    pub const fn label(self) -> &'static str {
        match self {
            Party::Backend => "the backend is wrong",
            Party::Reference => "the reference is wrong",
            Party::Specification => "the specification leaves it open",
        }
    }
}

/// Errors of the ledger.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulingsError {
    /// The file is not valid TOML, or a field is missing or misspelt.
    #[error("onnx-tests/rulings.toml is not a ledger of rulings: {0}")]
    Syntax(#[from] toml::de::Error),
    /// The file has another format.
    #[error("onnx-tests/rulings.toml has format {0}, but this build reads {FORMAT}")]
    Format(u32),
    /// A ruling lacks its evidence.
    #[error(
        "onnx-tests/rulings.toml: the ruling on {0} needs `what`, a `sentence`, and the name of a generated `case`"
    )]
    Evidence(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    #[serde(default, rename = "ruling")]
    all: Vec<Ruling>,
}

fn symptoms<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Symptom>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let parsed = names
        .iter()
        .map(|name| name.parse().map_err(serde::de::Error::custom));
    parsed.collect()
}

impl Rulings {
    /// The built-in ledger.
    ///
    /// # Errors
    /// None as long as the tests pass: one of them reads the file.
    pub fn embedded() -> Result<Rulings, RulingsError> {
        Rulings::parse(EMBEDDED)
    }

    /// Reads a ledger.
    ///
    /// # Errors
    /// [`RulingsError`].
    pub fn parse(text: &str) -> Result<Rulings, RulingsError> {
        let file: File = toml::from_str(text)?;
        if file.format != FORMAT {
            return Err(RulingsError::Format(file.format));
        }
        let incomplete = |ruling: &&Ruling| {
            let texts = [&ruling.what, &ruling.sentence];
            texts.iter().any(|text| text.trim().is_empty()) || !ruling.case.starts_with("generated/")
        };
        match file.all.iter().find(incomplete) {
            Some(ruling) => Err(RulingsError::Evidence(ruling.title())),
            None => Ok(Rulings { all: file.all }),
        }
    }

    /// The rulings, in the order of the ledger.
    pub fn all(&self) -> &[Ruling] {
        &self.all
    }

    /// The first ruling that covers a group.
    pub fn on(&self, group: &Group) -> Option<&Ruling> {
        self.all.iter().find(|ruling| ruling.covers(group))
    }
}

impl Ruling {
    /// Whether the ruling covers the group.
    pub fn covers(&self, group: &Group) -> bool {
        let operator = self
            .operators
            .iter()
            .any(|name| name == "*" || *name == group.operator);
        self.backend == group.kind
            && operator
            && self.symptoms.contains(&group.symptom)
            && self.only.iter().all(|label| group.common.contains(label))
    }

    /// Its description.
    pub fn title(&self) -> String {
        let symptoms: Vec<String> = self.symptoms.iter().map(ToString::to_string).collect();
        format!(
            "{} {} ({})",
            self.backend,
            self.operators.join(", "),
            symptoms.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"format = 1
[[ruling]]
backend = "ort"
operators = ["Slice"]
symptoms = ["shape"]
wrong = "backend"
what = "w"
sentence = "s"
case = "generated/Slice-11/a-0"
"#;

    #[track_caller]
    fn refused(from: &str, to: &str, part: &str) {
        let error = Rulings::parse(&ONE.replacen(from, to, 1))
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn a_ruling_covers_its_groups() {
        let rulings = Rulings::parse(ONE).unwrap();
        let check = |kind: &str, operator: &str, symptom, expected: bool| {
            let group = Group {
                kind: kind.to_owned(),
                operator: operator.to_owned(),
                symptom,
                ..Group::default()
            };
            assert_eq!(rulings.on(&group).is_some(), expected);
        };
        check("ort", "Slice", Symptom::Shape, true);
        check("tract", "Slice", Symptom::Shape, false);
        check("ort", "Pad", Symptom::Shape, false);
        check("ort", "Slice", Symptom::Value, false);
    }

    #[test]
    fn a_ruling_without_evidence_is_refused() {
        refused(
            "sentence = \"s\"",
            "sentence = \" \"",
            "the ruling on ort Slice (shape)",
        );
        refused("generated/", "own/", "needs `what`");
        refused("\"shape\"", "\"odd\"", "is not a symptom");
        refused("format = 1", "format = 3", "has format 3");
        refused("wrong = \"backend\"", "wrong = \"me\"", "unknown variant");
    }

    #[test]
    fn the_ledger_of_this_build_can_be_read() {
        Rulings::embedded().unwrap();
    }
}
