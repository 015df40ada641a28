//! The errata ledger: faults of the official corpus, with evidence.
//!
//! `onnx-tests/errata.toml` lists cases whose stored data is not a valid criterion for a backend. Such a
//! case is run if possible, and the result of the backend is recorded; but its verdict is
//! [`Verdict::Disputed`], which counts neither for nor against.
//!
//! A failure of the reference is not evidence. An [`Entry`] names the rule of the specification that the
//! data violates, or that does not exist, and independent evidence: a release that changed the data, an
//! issue, another implementation.

mod entry;

use std::path::{Path, PathBuf};

use run_record::{CaseRecord, Verdict, VerdictKind};

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

/// Why a ledger is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrataError {
    /// The file is not TOML, or a field is missing or misspelled.
    #[error("`{}` is not an errata ledger: {source}", path.display())]
    Syntax {
        /// The ledger.
        path: PathBuf,
        /// The error of the parser.
        source: Box<toml::de::Error>,
    },
    /// An entry is invalid.
    #[error("`{}`: entry `{entry}`: {source}", path.display())]
    Entry {
        /// The ledger.
        path: PathBuf,
        /// The entry's pattern of cases.
        entry: String,
        /// The error.
        source: EntryError,
    },
    /// The entries are not sorted.
    #[error("`{}`: entry `{entry}` must be before `{before}`: entries are sorted by `case`, then by their first release", path.display())]
    Unsorted {
        /// The ledger.
        path: PathBuf,
        /// The entry that is too late.
        entry: String,
        /// The entry before it.
        before: String,
    },
}

impl Errata {
    /// The embedded ledger.
    ///
    /// # Errors
    /// None as long as the tests pass: one of them reads it.
    pub fn embedded() -> Result<Self, ErrataError> {
        Self::parse(EMBEDDED, Path::new("onnx-tests/errata.toml"))
    }

    /// A ledger without entries: no case is disputed.
    pub fn none() -> Self {
        Self {
            entries: Vec::new(),
            patterns: Vec::new(),
        }
    }

    /// Parses a ledger; `path` is for error messages.
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

    /// The entries of the case `id`: those whose pattern and releases match.
    pub fn of<'e>(&'e self, id: &CaseId) -> impl Iterator<Item = &'e Entry> + use<'e> {
        let name = format!("{}/{}", id.suite(), id.name());
        let corpus = id.corpus().to_owned();
        let entries = self.entries.iter().zip(&self.patterns);
        entries
            .filter(move |(entry, pattern)| pattern.matches(&name) && entry.covers(&corpus))
            .map(|(entry, _)| entry)
    }

    /// The first entry for a case with these ids, if any. Equal bytes are equally faulty, so one match of
    /// the corpora that contain the case suffices; a test checks that the entry then covers all of them.
    pub fn find(&self, ids: impl IntoIterator<Item = CaseId>) -> Option<&Entry> {
        ids.into_iter().find_map(|id| self.of(&id).next())
    }
}

impl Entry {
    /// Sets the verdict of a result to disputed and adds the original verdict to the reason. A case that
    /// did not run is unchanged.
    pub fn dispute(&self, record: &mut CaseRecord) {
        let observed = record.verdict.kind();
        if observed == VerdictKind::NotRun {
            return;
        }
        let answer = match (observed, &*record.reason) {
            (VerdictKind::Pass, _) => "returns the stored outputs".to_owned(),
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
