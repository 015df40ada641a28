//! The errata ledger: what is wrong in the official corpus, with the evidence.
//!
//! `onnx-tests/errata.toml` lists cases whose stored data no backend can be held to. Such a case is run all the same, if it can
//! be, and what a backend answers is recorded; but its verdict is [`Verdict::Disputed`], which counts neither for nor against.
//!
//! That our reference fails a case is no evidence. An [`Entry`] names the rule of the specification that the data breaks or
//! that does not exist, and who else says so: a release that changed it, an issue, another implementation.

mod entry;

use std::path::{Path, PathBuf};

use reports::record::{CaseRecord, Verdict, VerdictKind};

use crate::CaseId;
use crate::pattern::CasePattern;

pub use entry::{Entry, EntryError, Evidence};

/// The ledger of this build, so that an installed binary needs no source tree.
const EMBEDDED: &str = include_str!("../../../../onnx-tests/errata.toml");

/// The entries of a ledger, in its order.
#[derive(Clone, Debug)]
pub struct Errata {
    entries: Vec<Entry>,
    /// The pattern of each entry, in the same order.
    patterns: Vec<CasePattern>,
}

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrataError {
    /// The file is no TOML, or lacks or misspells a field.
    #[error("`{}` is no errata ledger: {source}", path.display())]
    Syntax {
        /// The ledger.
        path: PathBuf,
        /// Where and why the parser stopped.
        source: Box<toml::de::Error>,
    },
    /// An entry cannot be used.
    #[error("`{}`: entry `{entry}`: {source}", path.display())]
    Entry {
        /// The ledger.
        path: PathBuf,
        /// The entry's pattern of cases.
        entry: String,
        /// What is wrong with it.
        source: EntryError,
    },
    /// Entries stand in no order in which they could be found.
    #[error("`{}`: entry `{entry}` must stand before `{before}`: entries sort by `case`, then by their first release", path.display())]
    Unsorted {
        /// The ledger.
        path: PathBuf,
        /// The entry that stands too late.
        entry: String,
        /// The one before it.
        before: String,
    },
}

impl Errata {
    /// The ledger that was built in.
    ///
    /// # Errors
    /// None as long as the tests pass: one of them reads it.
    pub fn embedded() -> Result<Self, ErrataError> {
        Self::parse(EMBEDDED, Path::new("onnx-tests/errata.toml"))
    }

    /// A ledger without entries: every case is judged as it stands.
    pub fn none() -> Self {
        Self {
            entries: Vec::new(),
            patterns: Vec::new(),
        }
    }

    /// Reads a ledger; `path` is what errors call it.
    ///
    /// # Errors
    /// [`ErrataError`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ErrataError> {
        let path = || path.to_path_buf();
        let ledger: entry::Ledger = toml::from_str(text).map_err(|source| ErrataError::Syntax {
            path: path(),
            source: Box::new(source),
        })?;
        let (mut entries, mut patterns) = (Vec::new(), Vec::new());
        for written in ledger.entries {
            let case = written.case.clone();
            let failed = |source| ErrataError::Entry {
                path: path(),
                entry: case.clone(),
                source,
            };
            let (entry, pattern) = written.check().map_err(failed)?;
            entries.push(entry);
            patterns.push(pattern);
        }
        if let Some([before, entry]) = entries.array_windows().find(|[a, b]| a.place() > b.place()) {
            return Err(ErrataError::Unsorted {
                path: path(),
                entry: entry.case.clone(),
                before: before.case.clone(),
            });
        }
        Ok(Self { entries, patterns })
    }

    /// Every entry, in the ledger's order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries that `id` falls under: those whose pattern matches and whose releases have it.
    pub fn of<'e>(&'e self, id: &CaseId) -> impl Iterator<Item = &'e Entry> + use<'e> {
        let name = format!("{}/{}", id.suite(), id.name());
        let corpus = id.corpus().to_owned();
        let entries = self.entries.iter().zip(&self.patterns);
        entries
            .filter(move |(entry, pattern)| pattern.matches(&name) && entry.covers(&corpus))
            .map(|(entry, _)| entry)
    }

    /// The entry that a case with these ids falls under, if any. Equal bytes are equally wrong, so one of the corpora that
    /// have the case suffices; a test holds that the entry then covers them all.
    pub fn find(&self, ids: impl IntoIterator<Item = CaseId>) -> Option<&Entry> {
        ids.into_iter().find_map(|id| self.of(&id).next())
    }
}

impl Entry {
    /// Takes the verdict from a result of a case that falls under this entry; what was observed goes into the reason. A case
    /// whose turn did not come stays one.
    pub fn dispute(&self, record: &mut CaseRecord) {
        let observed = record.verdict.kind();
        if observed == VerdictKind::NotRun {
            return;
        }
        let answer = match (observed, &*record.reason) {
            (VerdictKind::Pass, _) => "gives what is stored".to_owned(),
            (observed, "") => observed.label().to_owned(),
            (observed, reason) => format!("{}: {reason}", observed.label()),
        };
        record.reason = format!(
            "{}: {} [{} {answer}]",
            self.kind.label(),
            self.reason(),
            record.backend
        );
        record.verdict = Verdict::Disputed(self.kind);
    }
}

#[cfg(test)]
mod tests;
