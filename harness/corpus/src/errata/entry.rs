//! One entry of the errata ledger, and its validation.

use std::collections::BTreeMap;

use run_record::{Erratum, Release};
use serde::Deserialize;

use crate::pattern::CasePattern;
use crate::{Releases, ReleasesError};

/// The version of the ledger's format.
const FORMAT: u32 = 1;

/// The reference under `answers`, which is not sufficient evidence.
const REFERENCE: &str = "reference";

/// A faulty case with the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// A glob pattern over `<suite>/<name>`.
    pub case: String,
    /// The releases with the faulty data.
    pub releases: Releases,
    /// The kind of fault.
    pub kind: Erratum,
    pub evidence: Evidence,
    /// The correct result, if there is one.
    pub right: Option<String>,
}

/// The evidence for a faulty case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Evidence {
    /// What the specification says, or that it says nothing.
    #[serde(default)]
    pub rule: String,
    /// The place in the specification: operator, since_version and part, such as `RoiAlign-16, mode`.
    #[serde(default)]
    pub source: String,
    /// The release that corrects the data.
    pub fixed_in: Option<Release>,
    /// Issues and pull requests of ONNX, such as `onnx/onnx#1654`.
    #[serde(default)]
    pub upstream: Vec<String>,
    /// The result of each implementation: `reference`, `body` (the operator's function body),
    /// `onnx.reference`, a backend.
    #[serde(default)]
    pub answers: BTreeMap<String, String>,
}

/// Why an entry is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EntryError {
    /// The pattern is invalid.
    #[error("`case` is not a pattern over `<suite>/<name>`: {0}")]
    Pattern(String),
    /// The releases are invalid.
    #[error("`releases`: {0}")]
    Releases(#[from] ReleasesError),
    /// The specification is not cited.
    #[error("without evidence: `evidence.{0}` is missing, which cites the specification and the place")]
    NoRule(&'static str),
    /// Only the reference supports the entry.
    #[error(
        "without independent evidence: expected `fixed-in`, `upstream`, or an answer of an implementation other than the \
         reference"
    )]
    NoWitness,
    /// The correct result is required but missing.
    #[error("`right` is missing: wrong data and an amended specification require the correct result")]
    NoRight,
    /// An upstream reference is malformed.
    #[error("`{0}` is not an issue: expected `owner/repository#number`")]
    Upstream(String),
}

/// The file format of the ledger.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ledger {
    #[serde(rename = "format", deserialize_with = "format")]
    _format: (),
    #[serde(default, rename = "entry")]
    pub entries: Vec<Written>,
}

/// The file format of an entry.
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
            "the format is {other}, but this build reads {FORMAT}"
        ))),
    }
}

impl Written {
    /// Validates the entry and compiles its pattern.
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
    /// Whether the corpus belongs to one of its releases.
    pub fn covers(&self, corpus: &str) -> bool {
        Release::of_corpus(corpus).is_some_and(|release| self.releases.contains(release))
    }

    /// Its sort key in the ledger.
    pub(super) fn place(&self) -> (&str, Option<Release>) {
        (&self.case, self.releases.first())
    }

    /// One line for reports: the correct result, otherwise the rule.
    pub(super) fn reason(&self) -> &str {
        self.right.as_deref().unwrap_or(&self.evidence.rule)
    }
}
