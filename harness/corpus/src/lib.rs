//! Corpora: test cases as files, and what is known of each before it is decoded.
//!
//! # What it is
//! A corpus is a collection of cases in ONNX's official layout. There are four kinds: *pinned* ones, which
//! `onnx-tests/corpora.lock` names by file and SHA-256, *local* ones, which a person keeps in a folder, the one that
//! frameworks export on this machine ([`build_architectures`]), and the one that is built in ([`own`]).
//!
//! The way through: a [`Lockfile`] says what there is, a [`Fetcher`] brings it into the [`Cache`] and hands out a
//! [`VerifiedFile`], [`Corpus`] finds the cases in it, a [`Filter`] selects some, and [`FileRef::read`] gives bytes.
//! Archives are read in place and never extracted. Nothing here knows protobuf, backends or verdicts.
//!
//! Two promises: no byte of a pinned corpus is used that was not hashed in this very process, and nothing that looks
//! like a case is passed over — what cannot be run is a [`CaseDefect`], and a suite that shrank is an error.
//!
//! # What it is not
//! It decodes no model and starts no backend: `harness-conformance` decodes cases, `harness-worker` starts processes.
//!
//! # Modules
//! - [`pattern`]: which cases a person means, in every place where cases are named.
//! - [`errata`]: cases whose stored data is faulty or ambiguous, with the evidence.
//! - [`readings`]: what the specification leaves open, with every answer.
//! - [`own`]: the cases of this project, written as text and built into the program.
//! - [`form`]: the forms of variants, which are part of a case id.
//! - [`locale`]: the files that the string operators of ONNX Runtime need. [`python`]: Python environments for what only the
//!   `onnx` package can say.
//!
//! ```no_run
//! # use harness_corpus::{Cache, Corpus, CorpusError, Fetcher, Filter, Lockfile};
//! # fn main() -> Result<(), CorpusError> {
//! let fetcher = Fetcher::new(Cache::from_env()?, |_| {});
//! let corpus = Corpus::pinned("onnx-1.22.0", &Lockfile::embedded()?, &fetcher)?;
//! for case in Filter::new(["softmax"])?.select(&[corpus])?.cases {
//!     assert!(!case.model.read()?.is_empty(), "{}", case.id);
//! }
//! # Ok(())
//! # }
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use reports::record::Release;

pub mod errata;
pub mod form;
pub mod locale;
pub mod own;
pub mod pattern;
pub mod python;
pub mod readings;

mod architectures;
mod archive;
mod artifact;
mod cache;
mod case;
mod compact;
mod digest;
mod download;
mod error;
mod event;
mod fetch;
mod filter;
mod folder;
mod id;
mod layout;
mod local;
mod lockfile;
mod names;
mod official_input;
mod pin;
mod pin_runtime;
mod relative;
mod releases;
mod verified;

pub use architectures::build_architectures;
pub use artifact::{Artifact, Origin, WheelTags};
pub use cache::Cache;
pub use case::{CaseDefect, CaseFiles, DataSetFiles, DefectKind, OfficialTolerance};
pub use digest::digest_of_all;
pub use download::{DownloadError, Downloader, PipDownloader};
pub use error::CorpusError;
pub use event::FetchEvent;
pub use fetch::Fetcher;
pub use filter::{Filter, Selection};
pub use folder::{FileRef, Folder};
pub use id::{CaseId, InvalidCaseId};
pub use lockfile::{CorpusPin, Lockfile, RuntimePin};
pub use official_input::{OfficialInputTooLarge, official_input};
pub use pin::{PinError, pin};
pub use pin_runtime::pin_runtime;
pub use releases::{Releases, ReleasesError};
pub use verified::{Sha256, SharedBytes, VerifiedFile};

/// The cases of one collection, sorted by id.
#[derive(Clone, Debug)]
pub struct Corpus {
    id: String,
    cases: Vec<CaseFiles>,
    defects: Vec<CaseDefect>,
}

impl Corpus {
    /// The corpus that `lock` pins as `id`, fetched where the cache has it not.
    ///
    /// # Errors
    /// Those of [`Fetcher::fetch`] and [`Self::from_wheel`], [`CorpusError::UnknownCorpus`], and
    /// [`CorpusError::BelowFloor`] where a suite has fewer cases than `lock` pins.
    pub fn pinned(id: &str, lock: &Lockfile, fetcher: &Fetcher) -> Result<Self, CorpusError> {
        let pin = lock.corpus(id)?;
        let file = fetcher.fetch(&pin.artifact)?;
        let corpus = Self::from_wheel(id, &file)?;
        corpus.check_floors(&pin.cases)?;
        Ok(corpus)
    }

    /// The corpora of several releases, in their order; so that equal cases can be told ([`Filter::select`] gives each once),
    /// every case has its digest.
    ///
    /// # Errors
    /// Those of [`Self::pinned`], and a case that cannot be read.
    pub fn releases(
        releases: &[Release],
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<Vec<Self>, CorpusError> {
        let corpora = releases.par_iter().map(|release| {
            let id = release.corpus();
            let mut corpus = Self::pinned(&id, lock, fetcher)?;
            corpus.digest_cases(lock.corpus(&id)?.artifact.sha256, fetcher.cache())?;
            Ok(corpus)
        });
        corpora.collect()
    }

    /// The cases in a wheel of the `onnx` distribution, or in an archive of the same layout.
    ///
    /// # Errors
    /// A file that is no zip archive, or one with unsafe names.
    pub fn from_wheel(id: &str, wheel: &VerifiedFile) -> Result<Self, CorpusError> {
        let prefix: String = layout::DATA_IN_WHEEL
            .iter()
            .map(|part| format!("{part}/"))
            .collect();
        // Most of a wheel is libraries, which nobody here reads.
        let root = Folder::of_archive(archive::Archive::open(wheel)?.only([&*prefix])?);
        let data = layout::DATA_IN_WHEEL
            .iter()
            .fold(root, |folder, part| folder.folder(part));
        Ok(Self::new(id, layout::read_data(id, &data)?))
    }

    /// The cases of a person's own at `path`: a folder of suites, a suite, a case, or an `.onnx` file with
    /// `test_data_set_0` (or `<stem>/test_data_set_0`) beside it. The corpus is called `local`.
    ///
    /// # Errors
    /// An unreadable folder, and [`CorpusError::NoCases`] where there is nothing that looks like a case.
    pub fn local(path: &Path) -> Result<Self, CorpusError> {
        Ok(Self::new(local::CORPUS, local::read(path)?))
    }

    /// The networks that frameworks export, as [`build_architectures`] left them in `cache`.
    ///
    /// # Errors
    /// [`CorpusError::NoArchitectures`] where they were not built, and an unreadable folder.
    pub fn architectures(cache: &Cache) -> Result<Self, CorpusError> {
        let path = architectures::folder(cache);
        if !path.is_dir() {
            return Err(CorpusError::NoArchitectures { path });
        }
        let found = layout::read_data(architectures::CORPUS, &Folder::on_disk(&path))?;
        Ok(Self::new(architectures::CORPUS, found))
    }

    /// Cases that the program itself holds: `files` by path, `<suite>/<case>/model.onnx` and so on.
    ///
    /// # Errors
    /// A path that makes no case id.
    pub fn of_files(id: &str, files: BTreeMap<String, Vec<u8>>) -> Result<Self, CorpusError> {
        let files = files.into_iter().map(|(path, bytes)| (path, bytes.into()));
        Ok(Self::new(
            id,
            layout::read_data(id, &Folder::of_files(files.collect()))?,
        ))
    }

    fn new(id: &str, found: layout::Found) -> Self {
        let layout::Found {
            mut cases,
            mut defects,
        } = found;
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        defects.sort_by(|a, b| a.id.cmp(&b.id));
        Self {
            id: id.to_owned(),
            cases,
            defects,
        }
    }

    /// The corpus's id, `onnx-1.22.0`, `local` or `own`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The cases that can be run.
    pub fn cases(&self) -> &[CaseFiles] {
        &self.cases
    }

    /// What looks like a case and cannot be run.
    pub fn defects(&self) -> &[CaseDefect] {
        &self.defects
    }

    /// The number of cases that can be run, by suite.
    pub fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for case in &self.cases {
            *counts.entry(case.id.suite()).or_default() += 1;
        }
        counts
    }

    /// Holds the counts against the pinned ones.
    ///
    /// # Errors
    /// [`CorpusError::BelowFloor`] for the first suite that has fewer.
    pub fn check_floors(&self, floors: &BTreeMap<String, usize>) -> Result<(), CorpusError> {
        let counts = self.counts();
        for (suite, &pinned) in floors {
            let found = counts.get(suite.as_str()).copied().unwrap_or(0);
            if found < pinned {
                return Err(CorpusError::BelowFloor {
                    corpus: self.id.clone(),
                    suite: suite.clone(),
                    found,
                    pinned,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
