//! The baseline of a backend: one line for each case that is expected to fail.
//!
//! ```toml
//! format = 1
//! backend = "tract"
//! policy = "official"     # by which the lines were observed, with the version of its file;
//! tolerances = 1          # `official` if both are omitted
//!
//! [cases]
//! "onnx-1.22.0/node/test_abs" = { verdict = "unsupported", reason = "why" }
//! "onnx-1.2.1..1.22.0/node/test_add" = { verdict = "mismatch", reason = "the same in each release from 1.2.1 to 1.22.0" }
//! ```
//!
//! A line is a waiver. It may state an `owner`, the last day on which it is valid
//! (`expires = 2027-03-01`) and the only `version` of the backend for which it is valid. An invalid
//! waiver has no effect: its case is expected to pass.
//!
//! ```toml
//! [quarantine]
//! "own/Loop/slow" = { reason = "fails once in ten runs", owner = "ada", expires = 2027-03-01 }
//! ```
//!
//! A quarantined case is run and reported, but never closes the gate.
//!
//! A case without a line is expected to pass. [`Baseline::accept`] keeps comments and the order of
//! lines; consecutive releases share a line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use harness_compare::policy::OFFICIAL;
use run_record::{CaseRecord, PolicyUsed};
use run_record::{MAX_TOML, read_text};
use toml_edit::{DocumentMut, Item, Table, value};

use super::line::Key;
use super::reason::portable;
pub use accept::Given;
pub use entry::{Expected, Lapse, Moment, Terms, parse_date};
pub use error::BaselineError;
use error::{wrong_backend, wrong_format};

mod accept;
mod entry;
mod error;
mod schema;

/// The version of the file format.
const FORMAT: i64 = 1;

/// The baselines of the project's backends.
const EMBEDDED: [(&str, &str); 4] = [
    (
        "reference",
        include_str!("../../../../onnx-tests/baselines/reference.toml"),
    ),
    (
        "native",
        include_str!("../../../../onnx-tests/baselines/native.toml"),
    ),
    ("ort", include_str!("../../../../onnx-tests/baselines/ort.toml")),
    (
        "tract",
        include_str!("../../../../onnx-tests/baselines/tract.toml"),
    ),
];

/// A baseline with its source document.
#[derive(Clone, Debug)]
pub struct Baseline {
    path: PathBuf,
    document: DocumentMut,
    policy: PolicyUsed,
    lines: BTreeMap<String, Vec<Line>>,
}

/// The lines of one case.
#[derive(Clone, Debug)]
struct Line {
    key: Key,
    expected: Expected,
}

impl Baseline {
    /// An empty baseline of `backend`, to be written to `path`.
    pub fn empty(path: &Path, backend: &str) -> Baseline {
        let mut document = DocumentMut::new();
        document.insert("format", value(FORMAT));
        document.insert("backend", value(portable(backend)));
        document.insert("cases", Item::Table(Table::new()));
        Baseline {
            path: path.to_owned(),
            document,
            policy: PolicyUsed {
                name: OFFICIAL.to_owned(),
                version: 0,
            },
            lines: BTreeMap::new(),
        }
    }

    /// Reads the baseline of `backend`.
    pub fn read(path: &Path, backend: &str) -> Result<Baseline, BaselineError> {
        let text = read_text(path, MAX_TOML).map_err(|source| BaselineError::Read {
            path: path.to_owned(),
            source,
        })?;
        Baseline::parse(path, &text, backend)
    }

    /// The built-in baseline of a backend of the project.
    ///
    /// # Errors
    /// None as long as the tests pass: one of them reads each baseline.
    pub fn embedded(backend: &str) -> Result<Option<Baseline>, BaselineError> {
        let known = EMBEDDED.iter().find(|(name, _)| *name == backend);
        let parsed = known
            .map(|(name, text)| Baseline::parse(Path::new(&format!("(built in) {name}.toml")), text, name));
        parsed.transpose()
    }

    fn parse(path: &Path, text: &str, backend: &str) -> Result<Baseline, BaselineError> {
        let syntax = |source| BaselineError::Syntax {
            path: path.to_owned(),
            source: Box::new(source),
        };
        let problem = |entry: &str, problem: String| BaselineError::Entry {
            path: path.to_owned(),
            entry: entry.to_owned(),
            problem,
        };
        let document: DocumentMut = text.parse().map_err(syntax)?;
        match document.get("format").and_then(Item::as_integer) {
            Some(FORMAT) => {}
            found => return Err(problem("format", wrong_format(found))),
        }
        match document.get("backend").and_then(Item::as_str) {
            Some(name) if portable(name) == portable(backend) => {}
            found => return Err(problem("backend", wrong_backend(found, backend))),
        }
        let policy = policy(&document).map_err(|(key, reason)| problem(key, reason))?;
        let cases = document.get("cases").and_then(Item::as_table);
        let cases = cases.ok_or_else(|| problem("cases", "the table is missing".to_owned()))?;
        let mut lines: BTreeMap<String, Vec<Line>> = BTreeMap::new();
        let quarantine = match document.get("quarantine") {
            None => None,
            Some(item) => {
                let table = item.as_table();
                Some(table.ok_or_else(|| problem("quarantine", "must be a table".to_owned()))?)
            }
        };
        let quarantine = quarantine.into_iter().flatten().map(|entry| (entry, true));
        for ((text, item), quarantined) in cases.iter().map(|entry| (entry, false)).chain(quarantine) {
            let key: Key = text.parse().map_err(|reason| problem(text, reason))?;
            let read = if quarantined {
                entry::quarantined
            } else {
                entry::case
            };
            let expected = read(item).map_err(|reason| problem(text, reason))?;
            let lines = lines.entry(key.case.clone()).or_default();
            if let Some(other) = lines.iter().find(|line| line.key.overlaps(&key)) {
                return Err(problem(
                    text,
                    format!("`{}` covers some of these cases as well", other.key),
                ));
            }
            lines.push(Line { key, expected });
        }
        Ok(Baseline {
            path: path.to_owned(),
            document,
            policy,
            lines,
        })
    }

    /// The expectation for a case in each corpus that has it; `None` if there is no line, so that a pass
    /// is expected. A line has an effect only while it is valid ([`Terms::lapse`]).
    pub fn says(&self, record: &CaseRecord) -> Vec<Option<&Expected>> {
        let case = case_of(&record.case);
        let lines = self.lines.get(case).map_or(&[][..], Vec::as_slice);
        let of = |corpus| lines.iter().find(|line| line.key.covers(corpus, case));
        let corpora = record.corpora();
        corpora
            .map(|corpus| of(corpus).map(|line| &line.expected))
            .collect()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The line with the expectation for a case in one of these corpora, the last first: its key and its
    /// content.
    pub fn line<'c>(
        &self,
        case: &str,
        corpora: impl Iterator<Item = &'c str>,
    ) -> Option<(String, &Expected)> {
        let case = case_of(case);
        let lines = self.lines.get(case)?;
        let of = |corpus| lines.iter().find(|line| line.key.covers(corpus, case));
        let line = corpora.filter_map(of).last()?;
        Some((line.key.to_string(), &line.expected))
    }

    /// The line number in the file, from 1, by key.
    pub fn numbers(&self) -> BTreeMap<String, usize> {
        let text = self.document.to_string();
        let Ok(parsed) = toml_edit::Document::parse(text.as_str()) else {
            return BTreeMap::new();
        };
        let tables = ["cases", "quarantine"].map(|table| parsed.get(table).and_then(Item::as_table));
        let number = |start: usize| {
            text.get(..start)
                .map_or(1, |before| before.matches('\n').count() + 1)
        };
        let keys = tables.into_iter().flatten().flat_map(|cases| {
            cases.iter().filter_map(|(key, _)| {
                let span = cases.get_key_value(key)?.0.span()?;
                Some((key.to_owned(), number(span.start)))
            })
        });
        keys.collect()
    }

    /// The policy with which the lines were observed; version 0 if the file does not state it.
    pub fn policy(&self) -> &PolicyUsed {
        &self.policy
    }

    /// Records `policy` as the one with which the lines were observed.
    pub fn judge_by(&mut self, policy: &PolicyUsed) {
        let texts = [
            ("policy", value(&policy.name)),
            ("tolerances", value(i64::from(policy.version))),
        ];
        for (key, item) in texts {
            match self.document.get_mut(key).and_then(Item::as_value_mut) {
                Some(known) => {
                    let decor = known.decor().clone();
                    *known = item.into_value().unwrap_or_else(|_| known.clone());
                    *known.decor_mut() = decor;
                }
                None => {
                    self.document.insert(key, item);
                }
            }
        }
        self.policy = policy.clone();
    }

    /// Every line, by case.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&Key, &Expected)> {
        self.lines
            .values()
            .flatten()
            .map(|line| (&line.key, &line.expected))
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// [`BaselineError::Write`].
    pub fn write(&self) -> Result<(), BaselineError> {
        Ok(run_record::replace(
            &self.path,
            self.document.to_string().as_bytes(),
        )?)
    }
}

fn policy(document: &DocumentMut) -> Result<PolicyUsed, (&'static str, String)> {
    let name = match document.get("policy") {
        None => OFFICIAL,
        Some(item) => item
            .as_str()
            .ok_or(("policy", "must be the name of a policy".to_owned()))?,
    };
    let version = match document.get("tolerances") {
        None => Some(0),
        Some(item) => item.as_integer().and_then(|version| u32::try_from(version).ok()),
    };
    Ok(PolicyUsed {
        name: name.to_owned(),
        version: version.ok_or((
            "tolerances",
            "must be the version of the file of tolerances".to_owned(),
        ))?,
    })
}

/// `node/test_abs` for `onnx-1.22.0/node/test_abs`.
fn case_of(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, case)| case)
}

#[cfg(test)]
mod tests;
