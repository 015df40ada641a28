//! Errors of fetching.

use std::io;
use std::path::{Path, PathBuf};

use harness_corpus::{CorpusError, ReleasesError};

use super::download::DownloadError;
use super::hub::HubError;
use super::python::PythonError;

/// Why a file could not be brought to this machine. Each names the file, and the remedy if there is one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// Neither the environment nor the operating system defines a cache folder.
    #[error("this user has no cache folder: set ONNX_CONFORMANCE_CACHE to a writable folder")]
    NoCacheFolder,
    /// The lock file is not TOML, or a field is missing or misspelled.
    #[error("`{}` is not a lock file of corpora: {source}", path.display())]
    LockSyntax {
        /// The lock file.
        path: PathBuf,
        /// The error of the parser.
        source: Box<toml::de::Error>,
    },
    /// An entry of the lock file has an invalid value.
    #[error("`{}`: {entry}: {reason}", path.display())]
    LockEntry {
        /// The lock file.
        path: PathBuf,
        /// The table and key.
        entry: String,
        /// The error.
        reason: String,
    },
    /// The lock file pins no corpus with this id.
    #[error("no corpus `{id}` is pinned; there are: {known}")]
    UnknownCorpus {
        /// The requested id.
        id: String,
        /// The pinned ids, separated by commas.
        known: String,
    },
    /// A text does not select any release.
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
        /// The pinned targets, separated by commas.
        known: String,
    },
    /// The lock file pins no build of this version of ONNX Runtime for this machine.
    #[error(
        "ONNX Runtime {version} is not pinned for {target} (there are: {known}): \
         `fetch --pin-runtime {version}` adds it, or `library=FILE` names a library of your own"
    )]
    UnknownRuntimeVersion {
        /// The requested version.
        version: String,
        /// `<os>-<arch>` of this machine.
        target: String,
        /// The pinned versions for it, separated by commas.
        known: String,
    },
    /// The lock file pins no such package with a provider for this machine.
    #[error(
        "package `{package}` is not pinned for {target} (there are: {known}): `fetch --pin-provider {package}` adds it, or \
         `ep-library=FILE` names a library of your own"
    )]
    UnknownProvider {
        /// The requested package, `NAME==VERSION`.
        package: String,
        /// `<os>-<arch>` of this machine.
        target: String,
        /// The pinned packages for it, separated by commas.
        known: String,
    },
    /// The download failed.
    #[error(
        "cannot download `{file}`: {source}; correct the problem, or get exactly this file another way and put it at `{}`",
        place.display()
    )]
    Download {
        /// The requested file.
        file: String,
        /// Its place in the cache.
        place: PathBuf,
        /// The error of the downloader.
        source: DownloadError,
    },
    /// The download succeeded, but did not deliver the requested file.
    #[error(
        "the download delivered `{delivered}` instead of `{file}`: the file name pinned in the lock file is out of date"
    )]
    NotDelivered {
        /// The requested file.
        file: String,
        /// The delivered files, separated by commas.
        delivered: String,
    },
    /// The corpus `architectures` cannot be built.
    #[error("cannot build the corpus `architectures`: {source}")]
    Architectures {
        /// The error.
        source: PythonError,
    },
    /// The corpus `architectures` is not in the cache (exit code 4).
    #[error("the corpus `architectures` is not in `{}`: build it with `fetch --zoo architectures`", path.display())]
    NoArchitectures {
        /// The folder of the cache.
        path: PathBuf,
    },
    /// Models of the zoo cannot be had.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// A file or a case, once it is here.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}

impl FetchError {
    /// Converts the system's error for `action` on `path`; for `map_err`.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| CorpusError::io(action, path)(source).into()
    }

    /// Like [`Self::io`], for an action that writes.
    pub(super) fn write(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| CorpusError::write(action, path)(source).into()
    }
}
