//! The ledger of readings: questions that the specification leaves open, with its sentences, the answers,
//! and the evidence for the default.
//!
//! `onnx-tests/readings.toml` lists the questions. The reference can run each answer other than the
//! default, as `reference:reading=QUESTION=ANSWER`; a test of `onnx-tests` checks that the ledger and the
//! reference agree.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::CaseId;
use crate::pattern::CasePattern;

/// The ledger of this build, so that an installed binary needs no source tree.
const EMBEDDED: &str = include_str!("../../../../onnx-tests/readings.toml");

/// The version of the ledger's format.
const FORMAT: u32 = 1;

/// Every open question.
#[derive(Clone, Debug)]
pub struct Readings {
    questions: Vec<Question>,
    not_executable: BTreeMap<String, String>,
}

/// A question that the specification leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its name in the option `reading` of the reference.
    pub name: String,
    /// The question.
    pub asks: String,
    /// The operator versions, such as `Resize-19`.
    pub operators: Vec<String>,
    /// The sentences of the specification, with their sources.
    pub text: Vec<String>,
    /// The default answer of the reference.
    pub default: String,
    /// The kind of evidence for the default.
    pub by: Decider,
    /// The evidence.
    pub why: String,
    /// Patterns of cases that distinguish the answers.
    pub cases: Vec<String>,
    /// The errata entries that the question explains, by their pattern.
    #[serde(default)]
    pub errata: Vec<String>,
    /// The answers by name.
    pub answers: BTreeMap<String, Answer>,
}

/// The kind of evidence that decides the default answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decider {
    /// The official data.
    Data,
    Text,
    /// The agreement of implementations.
    Implementations,
    /// None: it is a choice.
    Choice,
}

impl Decider {
    /// Whether another answer contradicts ONNX itself.
    pub const fn is_binding(self) -> bool {
        matches!(self, Decider::Data | Decider::Text)
    }

    /// The text for display.
    pub const fn label(self) -> &'static str {
        match self {
            Decider::Data => "the official data",
            Decider::Text => "the text",
            Decider::Implementations => "the agreement of implementations",
            Decider::Choice => "a choice",
        }
    }
}

/// An answer to a question.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Its result.
    pub says: String,
    /// The implementations that give it.
    pub who: String,
}

/// Why a ledger is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadingsError {
    /// The file is not TOML, or a field is missing or misspelled.
    #[error("onnx-tests/readings.toml is not a ledger of readings: {0}")]
    Syntax(#[from] toml::de::Error),
    /// The file has another format.
    #[error("onnx-tests/readings.toml has format {0}, but this build reads {FORMAT}")]
    Format(u32),
    /// A question is not complete.
    #[error("onnx-tests/readings.toml: question `{question}`: {problem}")]
    Question {
        /// Its name.
        question: String,
        /// The error.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    format: u32,
    #[serde(default, rename = "question")]
    questions: Vec<Question>,
    #[serde(default)]
    not_executable: BTreeMap<String, String>,
}

impl Readings {
    /// The embedded ledger.
    ///
    /// # Errors
    /// None as long as the tests pass: one of them reads it.
    pub fn embedded() -> Result<Readings, ReadingsError> {
        Readings::parse(EMBEDDED)
    }

    /// Parses a ledger.
    ///
    /// # Errors
    /// [`ReadingsError`].
    pub fn parse(text: &str) -> Result<Readings, ReadingsError> {
        let file: File = toml::from_str(text)?;
        if file.format != FORMAT {
            return Err(ReadingsError::Format(file.format));
        }
        for question in &file.questions {
            question.check().map_err(|problem| ReadingsError::Question {
                question: question.name.clone(),
                problem,
            })?;
        }
        if let Some([before, after]) = file.questions.array_windows().find(|[a, b]| a.name >= b.name) {
            return Err(ReadingsError::Question {
                question: after.name.clone(),
                problem: format!("must be before `{}`", before.name),
            });
        }
        Ok(Readings {
            questions: file.questions,
            not_executable: file.not_executable,
        })
    }

    /// The questions, sorted by name.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The errata, by their pattern, that no answer of the reference explains, with the reason.
    pub fn not_executable(&self) -> &BTreeMap<String, String> {
        &self.not_executable
    }
}

impl Question {
    fn check(&self) -> Result<(), String> {
        let texts = [&self.asks, &self.why];
        if texts.iter().any(|text| text.trim().is_empty()) || self.text.is_empty() {
            return Err("`asks`, `text` and `why` must not be empty".to_owned());
        }
        if !self.answers.contains_key(&self.default) || self.answers.len() < 2 {
            return Err(format!(
                "the default `{}` and another answer are required",
                self.default
            ));
        }
        if self.operators.is_empty() || self.cases.is_empty() {
            return Err("`operators` and `cases` must not be empty".to_owned());
        }
        match self
            .cases
            .iter()
            .find(|pattern| CasePattern::new(pattern).is_err())
        {
            Some(pattern) => Err(format!("`{pattern}` is not a pattern of cases")),
            None => Ok(()),
        }
    }

    /// The answers other than the default.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        let names = self.answers.keys().map(String::as_str);
        names.filter(|name| *name != self.default)
    }

    /// Whether the question applies to one of the operators of a case, such as `Resize-19`.
    pub fn is_about(&self, operators: &[String]) -> bool {
        operators.iter().any(|operator| self.operators.contains(operator))
    }

    /// Whether the case distinguishes the answers.
    pub fn has_case(&self, id: &CaseId) -> bool {
        let id = id.to_string();
        let mut patterns = self.cases.iter().flat_map(|pattern| CasePattern::new(pattern));
        patterns.any(|pattern| pattern.matches(&id))
    }
}

#[cfg(test)]
mod tests;
