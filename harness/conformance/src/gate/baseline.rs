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
//! "onnx-1.2.1..1.22.0/node/test_add" = { verdict = "mismatch", reason = "the same in each release from 1.2.1 to 1.22.0" }
//! ```
//!
//! A case without a line is expected to pass. Lines are sorted by case; comments are kept when [`Baseline::accept`] rewrites,
//! and releases that follow each other share a line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use harness_compare::policy::OFFICIAL;
use reports::record::{CaseRecord, PolicyUsed, Release, VerdictKind};
use toml_edit::{DocumentMut, InlineTable, Item, Table, value};

use super::Finding;
use super::line::Key;
use super::reason::portable;
pub use error::BaselineError;
use error::{wrong_backend, wrong_format};

mod error;

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
        let text = fs::read_to_string(path).map_err(|source| BaselineError::Read {
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
        for (text, item) in cases {
            let key: Key = text.parse().map_err(|reason| problem(text, reason))?;
            let expected = expected(item).map_err(|reason| problem(text, reason))?;
            let lines = lines.entry(key.case.clone()).or_default();
            if let Some(other) = lines.iter().find(|line| line.key.overlaps(&key)) {
                return Err(problem(
                    text,
                    format!("`{}` names some of these cases as well", other.key),
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

    /// What is expected of a case in the corpora that have it: a pass where there is no line. One verdict, unless the file
    /// says other things of the same bytes in one release than in another.
    pub fn expected(&self, record: &CaseRecord) -> BTreeSet<VerdictKind> {
        let case = case_of(&record.case);
        let lines = self.lines.get(case).map_or(&[][..], Vec::as_slice);
        let of = |corpus| lines.iter().find(|line| line.key.covers(corpus, case));
        let corpora = record.corpora();
        corpora
            .map(|corpus| of(corpus).map_or(VerdictKind::Pass, |line| line.expected.verdict))
            .collect()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The line that says what is expected of a case in one of these corpora, the last of them first: its key, and what it says.
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

    /// The number of each line in the file as it stands, from 1, by its key.
    pub fn numbers(&self) -> BTreeMap<String, usize> {
        let text = self.document.to_string();
        let Ok(parsed) = toml_edit::Document::parse(text.as_str()) else {
            return BTreeMap::new();
        };
        let cases = parsed.get("cases").and_then(Item::as_table);
        let number = |start: usize| {
            text.get(..start)
                .map_or(1, |before| before.matches('\n').count() + 1)
        };
        let keys = cases.into_iter().flat_map(|cases| {
            cases.iter().filter_map(|(key, _)| {
                let span = cases.get_key_value(key)?.0.span()?;
                Some((key.to_owned(), number(span.start)))
            })
        });
        keys.collect()
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

    /// Every line, by case.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&Key, &Expected)> {
        self.lines
            .values()
            .flatten()
            .map(|line| (&line.key, &line.expected))
    }

    /// Takes what was observed for what is expected from now on; all else, comments included, stays as it is. `known` are
    /// the releases that there are: those that follow each other among them share a line.
    pub fn accept<'f>(&mut self, findings: impl IntoIterator<Item = &'f Finding>, known: &[Release]) {
        let mut by_case: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
        for finding in findings {
            by_case.entry(case_of(&finding.case)).or_default().push(finding);
        }
        for (case, findings) in by_case {
            let before = self.lines.remove(case).unwrap_or_default();
            let after = accepted(case, &before, &findings, known);
            if let Some(cases) = self.document.get_mut("cases").and_then(Item::as_table_mut) {
                rewrite(cases, &before, &after);
            }
            self.lines.insert(case.to_owned(), after);
        }
        if let Some(cases) = self.document.get_mut("cases").and_then(Item::as_table_mut) {
            // Each of them was parsed when the file was read, or shown here.
            cases.sort_values_by(|a, _, b, _| a.get().parse::<Key>().ok().cmp(&b.get().parse().ok()));
        }
    }

    /// Writes the file, in one step.
    ///
    /// # Errors
    /// [`BaselineError::Write`].
    pub fn write(&self) -> Result<(), BaselineError> {
        Ok(reports::replace(
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

/// `node/test_abs` of `onnx-1.22.0/node/test_abs`.
fn case_of(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, case)| case)
}

/// The lines of one case, after what was found.
fn accepted(case: &str, before: &[Line], findings: &[&Finding], known: &[Release]) -> Vec<Line> {
    let mut universe: BTreeSet<Release> = known.iter().copied().collect();
    let spans = before.iter().filter_map(|line| line.key.releases());
    universe.extend(spans.flat_map(|span| [span.first, span.last]));
    let mut releases: BTreeMap<Release, Expected> = BTreeMap::new();
    let mut others: BTreeMap<Key, Expected> = BTreeMap::new();
    for line in before {
        let covered = universe
            .iter()
            .filter(|release| line.key.covers(&release.corpus(), case));
        releases.extend(covered.map(|release| (*release, line.expected.clone())));
        if line.key.releases().is_none() {
            others.insert(line.key.clone(), line.expected.clone());
        }
    }
    for finding in findings {
        let expected = finding.expectation();
        for corpus in finding.corpora() {
            match (Release::of_corpus(corpus), &expected) {
                (Some(release), Some(expected)) => drop(releases.insert(release, expected.clone())),
                (Some(release), None) => drop(releases.remove(&release)),
                (None, expected) => {
                    let Ok(key) = format!("{corpus}/{case}").parse::<Key>() else {
                        continue;
                    };
                    match expected {
                        Some(expected) => drop(others.insert(key, expected.clone())),
                        None => drop(others.remove(&key)),
                    }
                }
            }
        }
    }
    universe.extend(releases.keys());
    let spans = spans_of(case, &releases, &universe);
    let others = others.into_iter().map(|(key, expected)| Line { key, expected });
    spans.into_iter().chain(others).collect()
}

/// Neighbours with the same verdict in one line each; it has the reason of its newest.
fn spans_of(case: &str, releases: &BTreeMap<Release, Expected>, universe: &BTreeSet<Release>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open: Option<(Release, Release, &Expected)> = None;
    let line = |(first, last, expected): (Release, Release, &Expected)| Line {
        key: Key::span(case, first, last),
        expected: expected.clone(),
    };
    for release in universe {
        let expected = releases.get(release);
        open = match (open, expected) {
            (Some((first, _, before)), Some(now)) if before.verdict == now.verdict => {
                Some((first, *release, now))
            }
            (closed, now) => {
                lines.extend(closed.map(line));
                now.map(|now| (*release, *release, now))
            }
        };
    }
    lines.extend(open.map(line));
    lines
}

/// Puts `after` in the place of `before`; the comment of a line that goes is kept by the first that comes.
fn rewrite(cases: &mut Table, before: &[Line], after: &[Line]) {
    let mut comment = None;
    for line in before
        .iter()
        .filter(|line| !after.iter().any(|new| new.key == line.key))
    {
        if let Some((key, _)) = cases.remove_entry(&line.key.to_string()) {
            let prefix = key.leaf_decor().prefix().cloned();
            comment =
                comment.or(prefix.filter(|prefix| prefix.as_str().is_some_and(|text| text.contains('#'))));
        }
    }
    for new in after {
        if before
            .iter()
            .any(|line| line.key == new.key && line.expected == new.expected)
        {
            continue;
        }
        let text = new.key.to_string();
        let line = cases.entry(&text).or_insert_with(|| value(InlineTable::new()));
        if let Some(line) = line.as_inline_table_mut() {
            line.insert("verdict", new.expected.verdict.key().into());
            line.insert("reason", new.expected.reason.as_str().into());
        }
        if let (Some(mut key), Some(comment)) = (cases.key_mut(&text), comment.take()) {
            key.leaf_decor_mut().set_prefix(comment);
        }
    }
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
        Some(verdict @ (VerdictKind::Skipped | VerdictKind::NotRun)) => Err(format!(
            "`{}` says nothing of the backend: remove the line",
            verdict.key()
        )),
        Some(verdict) => Ok(Expected {
            verdict,
            reason: reason.to_owned(),
        }),
        None => Err(format!("there is no verdict `{key}`")),
    }
}

#[cfg(test)]
mod tests;
