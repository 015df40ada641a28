//! The statement: in-toto Statement v1 with the predicate Test Result v0.1.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

pub const PREDICATE_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// The statement and its subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// The files of the backend.
    pub subject: Vec<Subject>,
    /// [`PREDICATE_TYPE`].
    pub predicate_type: String,
    /// The results.
    pub predicate: TestResult,
}

/// A file of the backend: the worker, a runtime library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The file's name, without a folder.
    pub name: String,
    /// Digests by algorithm: `sha256`, in hexadecimal digits.
    pub digest: BTreeMap<String, String>,
}

impl Subject {
    /// A file by its name and its SHA-256 in hexadecimal digits.
    pub fn new(name: impl Into<String>, sha256: impl Into<String>) -> Subject {
        Subject {
            name: name.into(),
            digest: [("sha256".to_owned(), sha256.into())].into(),
        }
    }
}

/// The results of a test run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestResult {
    pub result: Outcome,
    /// The inputs of the results: files of the package by their digest, and facts as annotations.
    pub configuration: Vec<Resource>,
    /// Cases that pass.
    pub passed_tests: Vec<String>,
    /// Cases that do not count against the backend: their data is in doubt, or a waiver excuses them.
    pub warned_tests: Vec<String>,
    /// Cases that do not pass, or were not run.
    pub failed_tests: Vec<String>,
}

/// The result of a test run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Outcome {
    /// Every case passes.
    Passed,
    /// No case fails, and some have warnings.
    Warned,
    /// Some case fails.
    Failed,
}

impl Outcome {
    /// The name in the statement.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "PASSED",
            Outcome::Warned => "WARNED",
            Outcome::Failed => "FAILED",
        }
    }
}

/// A file of the package, or named facts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// The file's name, or the subject of the facts.
    pub name: String,
    /// Digests of the file by algorithm; empty for facts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digest: BTreeMap<String, String>,
    /// The facts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}
