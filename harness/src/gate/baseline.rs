//! The baseline of a backend: one line for each case that it is known not to pass.
//!
//! ```toml
//! format = 1
//! backend = "tract"
//! policy = "official"     # by which the lines were observed, with the version of its file;
//! tolerances = 1          # `official` where both are left out
//!
//! [cases]
//! "onnx-1.22.0/node/test_abs" = { verdict = "unsupported", reason = "why" }
//! ```
//!
//! A case without a line is expected to pass. Lines are sorted; comments are kept when [`Baseline::accept`] rewrites.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use reports::record::{PolicyUsed, VerdictKind};
use toml_edit::{DocumentMut, InlineTable, Item, Table, TomlError, value};

use super::Finding;
use crate::policy::OFFICIAL;

/// The version of the file's format.
const FORMAT: i64 = 1;

/// What a baseline says of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The verdict that is expected.
    pub verdict: VerdictKind,
    /// Why, for people.
    pub reason: String,
}

/// A baseline, with the document that it was read from.
#[derive(Clone, Debug)]
pub struct Baseline {
    path: PathBuf,
    document: DocumentMut,
    policy: PolicyUsed,
    entries: BTreeMap<String, Expected>,
}

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be read or written.
    #[error("cannot {action} the baseline `{}`: {source}", path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no TOML.
    #[error("`{}` is no TOML: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<TomlError>,
    },
    /// A value is not what it must be.
    #[error("`{}`: {entry}: {problem}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// The key.
        entry: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl Baseline {
    /// An empty baseline of `backend`, to be written to `path`.
    pub fn empty(path: &Path, backend: &str) -> Baseline {
        let mut document = DocumentMut::new();
        document.insert("format", value(FORMAT));
        document.insert("backend", value(backend));
        document.insert("cases", Item::Table(Table::new()));
        Baseline {
            path: path.to_owned(),
            document,
            policy: PolicyUsed {
                name: OFFICIAL.to_owned(),
                version: 0,
            },
            entries: BTreeMap::new(),
        }
    }

    /// Reads the baseline of `backend`.
    pub fn read(path: &Path, backend: &str) -> Result<Baseline, BaselineError> {
        let text = fs::read_to_string(path).map_err(|source| BaselineError::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        Baseline::parse(path, &text, backend)
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
            found => return Err(problem("format", format!("expected {FORMAT}, found {found:?}"))),
        }
        match document.get("backend").and_then(Item::as_str) {
            Some(name) if name == backend => {}
            found => {
                return Err(problem(
                    "backend",
                    format!("expected {backend:?}, found {found:?}"),
                ));
            }
        }
        let policy = policy(&document).map_err(|(key, reason)| problem(key, reason))?;
        let cases = document.get("cases").and_then(Item::as_table);
        let cases = cases.ok_or_else(|| problem("cases", "the table is missing".to_owned()))?;
        let mut entries = BTreeMap::new();
        for (case, item) in cases {
            let expected = expected(item).map_err(|reason| problem(case, reason))?;
            entries.insert(case.to_owned(), expected);
        }
        Ok(Baseline {
            path: path.to_owned(),
            document,
            policy,
            entries,
        })
    }

    /// What is expected of a case: a pass where there is no line.
    pub fn expected(&self, case: &str) -> VerdictKind {
        self.entries
            .get(case)
            .map_or(VerdictKind::Pass, |expected| expected.verdict)
    }

    /// By which policy the lines were observed; version 0 where the file does not say.
    pub fn policy(&self) -> &PolicyUsed {
        &self.policy
    }

    /// Takes `policy` for the one by which the lines were observed.
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

    /// Every line, sorted by case.
    pub fn entries(&self) -> &BTreeMap<String, Expected> {
        &self.entries
    }

    /// Takes what was observed for what is expected from now on; all else, comments included, stays as it is.
    pub fn accept<'f>(&mut self, findings: impl IntoIterator<Item = &'f Finding>) {
        let Some(cases) = self.document.get_mut("cases").and_then(Item::as_table_mut) else {
            return;
        };
        for finding in findings {
            match finding.observed.filter(|observed| *observed != VerdictKind::Pass) {
                Some(verdict) => {
                    let reason = finding.reason.clone();
                    let line = cases
                        .entry(&finding.case)
                        .or_insert_with(|| value(InlineTable::new()));
                    if let Some(line) = line.as_inline_table_mut() {
                        line.insert("verdict", verdict.key().into());
                        line.insert("reason", reason.as_str().into());
                    }
                    self.entries
                        .insert(finding.case.clone(), Expected { verdict, reason });
                }
                None => {
                    cases.remove(&finding.case);
                    self.entries.remove(&finding.case);
                }
            }
        }
        cases.sort_values();
    }

    /// Writes the file, in one step.
    pub fn write(&self) -> Result<(), BaselineError> {
        let failed = |source| BaselineError::Io {
            action: "write",
            path: self.path.clone(),
            source,
        };
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        io::Write::write_all(&mut file, self.document.to_string().as_bytes()).map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(())
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

fn expected(item: &Item) -> Result<Expected, String> {
    let text = |key: &str| {
        item.get(key)
            .and_then(Item::as_str)
            .ok_or(format!("`{key}` must be a text"))
    };
    let (key, reason) = (text("verdict")?, text("reason")?);
    let verdict = VerdictKind::ALL.into_iter().find(|verdict| verdict.key() == key);
    match verdict {
        Some(VerdictKind::Pass) => Err("a case that passes needs no line".to_owned()),
        Some(verdict) => Ok(Expected {
            verdict,
            reason: reason.to_owned(),
        }),
        None => Err(format!("there is no verdict `{key}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Transition;

    const TEXT: &str = "# of the release of May\nformat = 1\nbackend = \"mine\"\n\n[cases]\n# upstream issue 7\n\
        \"c/node/b\" = { verdict = \"mismatch\", reason = \"off by one\" }\n\
        \"c/node/d\" = { verdict = \"crash\", reason = \"\" }\n";

    fn finding(case: &str, observed: Option<VerdictKind>) -> Finding {
        let (case, reason) = (case.to_owned(), "new".to_owned());
        Finding {
            case,
            transition: Transition::Regression,
            expected: VerdictKind::Pass,
            observed,
            reason,
        }
    }

    #[test]
    fn accepting_rewrites_only_what_it_names_and_keeps_comments() {
        let mut baseline = Baseline::parse(Path::new("b.toml"), TEXT, "mine").unwrap();
        assert_eq!(baseline.expected("c/node/b"), VerdictKind::Mismatch);
        assert_eq!(baseline.expected("c/node/a"), VerdictKind::Pass);
        baseline.accept(&[
            finding("c/node/d", Some(VerdictKind::Pass)),
            finding("c/node/a", Some(VerdictKind::Error)),
        ]);
        let expected = "# of the release of May\nformat = 1\nbackend = \"mine\"\n\n[cases]\n\
            \"c/node/a\" = { verdict = \"error\", reason = \"new\" }\n# upstream issue 7\n\
            \"c/node/b\" = { verdict = \"mismatch\", reason = \"off by one\" }\n";
        assert_eq!(baseline.document.to_string(), expected);
    }

    #[test]
    fn the_policy_is_noted_before_the_cases() {
        let mut baseline = Baseline::parse(Path::new("b.toml"), TEXT, "mine").unwrap();
        assert_eq!(
            (baseline.policy().name.as_str(), baseline.policy().version),
            (OFFICIAL, 0)
        );
        for (name, version) in [("bound", 1), ("bound", 2)] {
            let name = name.to_owned();
            baseline.judge_by(&PolicyUsed { name, version });
        }
        let expected = TEXT.replace("\n\n[cases]", "\npolicy = \"bound\"\ntolerances = 2\n\n[cases]");
        assert_eq!(baseline.document.to_string(), expected);
        let again = Baseline::parse(Path::new("b.toml"), &expected, "mine").unwrap();
        assert_eq!(again.policy(), baseline.policy());
    }

    #[test]
    fn what_is_wrong_with_a_baseline_is_said() {
        let check = |text: &str, expected: &str| {
            let error = Baseline::parse(Path::new("b.toml"), text, "mine")
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("format = 2", "format: expected 1");
        check("format = 1\nbackend = \"ort\"", "backend: expected \"mine\"");
        check("format = 1\nbackend = \"mine\"", "cases: the table is missing");
        let line = |line: &str| format!("format = 1\nbackend = \"mine\"\n[cases]\n\"c/n/a\" = {line}");
        check(&line("3"), "`verdict` must be a text");
        check(&line("{ verdict = \"pass\", reason = \"\" }"), "needs no line");
        check(
            &line("{ verdict = \"broken\", reason = \"\" }"),
            "no verdict `broken`",
        );
        check("format =", "is no TOML");
        let head = |line: &str| format!("format = 1\nbackend = \"mine\"\n{line}\n[cases]\n");
        check(&head("policy = 1"), "policy: must be the name");
        check(&head("tolerances = -1"), "tolerances: must be the version");
    }
}
