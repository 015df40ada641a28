//! One entry of the ledger, and what it must hold to be one.

use std::collections::BTreeMap;

use reports::record::{Erratum, Release};
use serde::Deserialize;

use crate::pattern::CasePattern;
use crate::{Releases, ReleasesError};

/// The version of the ledger's format.
const FORMAT: u32 = 1;

/// Our reference under `answers`, which alone is no witness.
const REFERENCE: &str = "reference";

/// What is wrong with a case, with the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// A pattern over `<suite>/<name>`.
    pub case: String,
    /// The releases whose data is meant.
    pub releases: Releases,
    /// In what way it is wrong.
    pub kind: Erratum,
    /// Why it is known to be.
    pub evidence: Evidence,
    /// What the right answer is, where there is one.
    pub right: Option<String>,
}

/// Why a case is known to be wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Evidence {
    /// What the specification says, or that it says nothing.
    #[serde(default)]
    pub rule: String,
    /// Where it says so: operator, since-version and part, as in `RoiAlign-16, mode`.
    #[serde(default)]
    pub source: String,
    /// The release whose data was put right.
    pub fixed_in: Option<Release>,
    /// Issues and pull requests of ONNX, as in `onnx/onnx#1654`.
    #[serde(default)]
    pub upstream: Vec<String>,
    /// What each implementation answers: `reference`, `body` (the operator's function body), `onnx.reference`, a backend.
    #[serde(default)]
    pub answers: BTreeMap<String, String>,
}

/// Why an entry is none.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EntryError {
    /// The pattern cannot be used.
    #[error("`case` is no pattern over `<suite>/<name>`: {0}")]
    Pattern(String),
    /// The releases cannot be used.
    #[error("`releases`: {0}")]
    Releases(#[from] ReleasesError),
    /// The specification is not cited.
    #[error("without evidence: `evidence.{0}` is missing; it says what the specification says, and where")]
    NoRule(&'static str),
    /// Nobody but our reference says so.
    #[error(
        "without evidence from outside: wanted `fixed-in`, `upstream`, or an answer of another implementation than the \
         reference"
    )]
    NoWitness,
    /// The right answer is missing where there must be one.
    #[error(
        "`right` is missing: data is wrong, and a specification amended, only where something else is right"
    )]
    NoRight,
    /// An upstream reference cannot be followed.
    #[error("`{0}` is no issue: wanted `owner/repository#number`")]
    Upstream(String),
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ledger {
    #[serde(rename = "format", deserialize_with = "format")]
    _format: (),
    #[serde(default, rename = "entry")]
    pub entries: Vec<Written>,
}

/// An entry as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    pub case: String,
    releases: String,
    kind: Erratum,
    #[serde(default)]
    evidence: Evidence,
    right: Option<String>,
}

fn format<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    match u32::deserialize(deserializer)? {
        FORMAT => Ok(()),
        other => Err(serde::de::Error::custom(format!(
            "the format is {other}, this build reads {FORMAT}"
        ))),
    }
}

impl Written {
    /// The entry and its compiled pattern, if it is sound.
    pub fn check(self) -> Result<(Entry, CasePattern), EntryError> {
        let pattern = CasePattern::new(&self.case).map_err(|error| EntryError::Pattern(error.to_string()))?;
        if self.case.split('/').count() != 2 || self.case.starts_with(['*', '/']) {
            return Err(EntryError::Pattern(format!("`{}` names no suite", self.case)));
        }
        let releases = self.releases.parse()?;
        let evidence = self.evidence;
        for (field, text) in [("rule", &evidence.rule), ("source", &evidence.source)] {
            if text.trim().is_empty() {
                return Err(EntryError::NoRule(field));
            }
        }
        if let Some(reference) = evidence.upstream.iter().find(|text| !is_issue(text)) {
            return Err(EntryError::Upstream(reference.clone()));
        }
        let others = evidence.answers.keys().any(|name| name != REFERENCE);
        if evidence.fixed_in.is_none() && evidence.upstream.is_empty() && !others {
            return Err(EntryError::NoWitness);
        }
        if self.right.is_none() && self.kind.has_right_answer() {
            return Err(EntryError::NoRight);
        }
        let entry = Entry {
            case: self.case,
            releases,
            kind: self.kind,
            evidence,
            right: self.right,
        };
        Ok((entry, pattern))
    }
}

/// `owner/repository#number`.
fn is_issue(text: &str) -> bool {
    text.split_once('#').is_some_and(|(repository, number)| {
        repository.split('/').filter(|part| !part.is_empty()).count() == 2 && number.parse::<u32>().is_ok()
    })
}

impl Entry {
    /// Whether the corpus is of one of its releases.
    pub fn covers(&self, corpus: &str) -> bool {
        Release::of_corpus(corpus).is_some_and(|release| self.releases.contains(release))
    }

    /// Its place in the ledger.
    pub(super) fn place(&self) -> (&str, Option<Release>) {
        (&self.case, self.releases.first())
    }

    /// One line for reports: the right answer, else the rule.
    pub(super) fn reason(&self) -> &str {
        self.right.as_deref().unwrap_or(&self.evidence.rule)
    }
}
