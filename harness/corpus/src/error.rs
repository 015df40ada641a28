//! What can go wrong between asking for a corpus and holding the bytes of its cases.

use std::io;
use std::path::{Path, PathBuf};

use reports::WriteError;

use super::download::DownloadError;
use super::hub::HubError;
use super::id::InvalidCaseId;
use super::releases::ReleasesError;
use super::verified::Sha256;
use crate::pattern::PatternError;
use crate::python::PythonError;

/// An error of the corpus layer. Each names the file or the case, and says what to do where something can be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// Neither the environment nor the operating system names a cache folder.
    #[error("this user has no cache folder: set ONNX_CONFORMANCE_CACHE to a folder that can be written")]
    NoCacheFolder,
    /// The operating system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder it was tried on.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A file or folder cannot be made, changed or removed (exit code 73).
    #[error("cannot {action} `{}`: {source}", path.display())]
    CannotWrite {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder it was tried on.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The lock file is no TOML, or lacks or misspells a field.
    #[error("`{}` is not a lock file of corpora: {source}", path.display())]
    LockSyntax {
        /// The lock file.
        path: PathBuf,
        /// Where and why the parser stopped.
        source: Box<toml::de::Error>,
    },
    /// An entry of the lock file has a value that cannot be used.
    #[error("`{}`: {entry}: {reason}", path.display())]
    LockEntry {
        /// The lock file.
        path: PathBuf,
        /// The table and key.
        entry: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The lock file pins no corpus of this id.
    #[error("no corpus `{id}` is pinned; there are: {known}")]
    UnknownCorpus {
        /// The id asked for.
        id: String,
        /// The ids that are pinned, separated by commas.
        known: String,
    },
    /// A text selects no releases.
    #[error(transparent)]
    Releases(#[from] ReleasesError),
    /// No ONNX Runtime build is pinned for this machine.
    #[error(
        "no ONNX Runtime is pinned for {target} (there are: {known}): \
         set ORT_DYLIB_PATH to the shared library of your own build"
    )]
    NoRuntimeBuild {
        /// `<os>-<arch>` of this machine.
        target: String,
        /// The targets that are pinned, separated by commas.
        known: String,
    },
    /// The lock file has no build of this version of ONNX Runtime for this machine.
    #[error(
        "ONNX Runtime {version} is not pinned for {target} (there are: {known}): \
         `fetch --pin-runtime {version}` adds it, or `library=FILE` names a library of your own"
    )]
    UnknownRuntimeVersion {
        /// The version, as it was asked for.
        version: String,
        /// `<os>-<arch>` of this machine.
        target: String,
        /// The versions that are pinned for it, separated by commas.
        known: String,
    },
    /// The download did not happen.
    #[error(
        "cannot download `{file}`: {source}; repair that, or get this very file another way and put it at `{}`",
        place.display()
    )]
    Download {
        /// The file wanted.
        file: String,
        /// Where in the cache it belongs.
        place: PathBuf,
        /// Why the downloader failed.
        source: DownloadError,
    },
    /// The download ended well, but the file it was for is not there.
    #[error(
        "the download brought `{delivered}` and not `{file}`: the file name pinned in the lock file is out of date"
    )]
    NotDelivered {
        /// The file wanted.
        file: String,
        /// What lies there instead, separated by commas.
        delivered: String,
    },
    /// The file has other bytes than the pinned ones.
    #[error("`{}` has SHA-256 {found}, but the lock file pins {expected}: it is not used", path.display())]
    WrongHash {
        /// The file.
        path: PathBuf,
        /// The hash of the lock file.
        expected: Sha256,
        /// The hash of the bytes that are there.
        found: Sha256,
    },
    /// The archive cannot be read as a zip file.
    #[error("`{}` cannot be read as a zip archive: {reason}", archive.display())]
    Archive {
        /// The archive.
        archive: PathBuf,
        /// Why.
        reason: String,
    },
    /// An entry's name would leave the archive's own tree, or is there twice.
    #[error("`{}` has an entry of unsafe name {name:?}: the archive is not used", archive.display())]
    UnsafeName {
        /// The archive.
        archive: PathBuf,
        /// The entry's name.
        name: String,
    },
    /// One entry of the archive cannot be read within the limits.
    #[error("`{}`, entry `{entry}`: {reason}", archive.display())]
    Entry {
        /// The archive.
        archive: PathBuf,
        /// The entry's name.
        entry: String,
        /// Why.
        reason: String,
    },
    /// A file on disk is larger than the harness reads at once.
    #[error("`{}` has {bytes} bytes; the limit for one file is {limit}", path.display())]
    FileTooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A file beside a model is named by a path that leaves the model's folder.
    #[error("`{name}` leads out of the model's folder `{folder}`: it is not read")]
    OutsideFolder {
        /// The name as the model gives it.
        name: String,
        /// The model's folder.
        folder: String,
    },
    /// A suite has fewer cases than the lock file promises (exit code 4).
    #[error("corpus `{corpus}`: suite `{suite}` has {found} cases, the lock file pins {pinned}")]
    BelowFloor {
        /// The corpus.
        corpus: String,
        /// The suite.
        suite: String,
        /// Cases found that can be run.
        found: usize,
        /// Cases pinned.
        pinned: usize,
    },
    /// The filter leaves nothing to run (exit code 4).
    #[error(
        "no case matches {patterns}; a case id looks like `onnx-1.22.0/node/test_abs`, and a text of three such parts without `*` \
         matches that id only"
    )]
    NoCaseSelected {
        /// The patterns, quoted and separated by commas.
        patterns: String,
    },
    /// A local path holds nothing in the official layout (exit code 4).
    #[error(
        "no case in `{}`: wanted a folder with `model.onnx` and `test_data_set_0`, a folder of such folders, \
         a folder of such suites, or one `.onnx` file with `test_data_set_0` beside it",
        path.display()
    )]
    NoCases {
        /// The path given.
        path: PathBuf,
    },
    /// The corpus that frameworks export cannot be built.
    #[error("cannot build the corpus `architectures`: {source}")]
    Architectures {
        /// Why.
        source: PythonError,
    },
    /// The corpus that frameworks export is not in the cache (exit code 4).
    #[error("the corpus `architectures` is not in `{}`: build it with `fetch --zoo architectures`", path.display())]
    NoArchitectures {
        /// The folder of the cache.
        path: PathBuf,
    },
    /// Models of the zoo cannot be had.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// A folder's name cannot be part of a case id.
    #[error(transparent)]
    CaseId(#[from] InvalidCaseId),
    /// A filter is no glob.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A file cannot be written (exit code 73).
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl CorpusError {
    /// Wraps the operating system's answer to `action` on `path`; made for `map_err`.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }

    /// As [`Self::io`], for what changes something.
    pub(super) fn write(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::CannotWrite {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}
