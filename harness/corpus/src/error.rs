//! Errors of the corpus layer.

use std::io;
use std::path::{Path, PathBuf};

use run_record::WriteError;

use super::id::InvalidCaseId;
use super::verified::Sha256;
use crate::pattern::PatternError;

/// An error of the corpus layer. Each names the file or the case, and the remedy if there is one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A system call failed.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// The action, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file or folder cannot be created, changed or removed (exit code 73).
    #[error("cannot {action} `{}`: {source}", path.display())]
    CannotWrite {
        /// The action, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The digest of the file differs from the pinned one.
    #[error("`{}` has SHA-256 {found}, but the lock file pins {expected}: it is not used", path.display())]
    WrongHash {
        /// The file.
        path: PathBuf,
        /// The hash of the lock file.
        expected: Sha256,
        /// The hash of the file.
        found: Sha256,
    },
    /// The archive is not a valid zip file.
    #[error("`{}` cannot be read as a zip archive: {reason}", archive.display())]
    Archive {
        archive: PathBuf,
        /// The error.
        reason: String,
    },
    /// An entry's name is outside the archive's tree, or is repeated.
    #[error("`{}` has an entry of unsafe name {name:?}: the archive is not used", archive.display())]
    UnsafeName {
        archive: PathBuf,
        /// The entry's name.
        name: String,
    },
    /// An entry of the archive cannot be read within the limits.
    #[error("`{}`, entry `{entry}`: {reason}", archive.display())]
    Entry {
        archive: PathBuf,
        /// The entry's name.
        entry: String,
        /// The error.
        reason: String,
    },
    /// A file is not a case as JSON text.
    #[error("`{}`: {problem}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The error.
        problem: String,
    },
    /// A file on disk is too large.
    #[error("`{}` has {bytes} bytes; the limit for one file is {limit}", path.display())]
    FileTooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        limit: u64,
    },
    /// A model refers to a file outside of its folder.
    #[error("`{name}` is outside the model's folder `{folder}`: it is not read")]
    OutsideFolder {
        /// The name in the model.
        name: String,
        /// The model's folder.
        folder: String,
    },
    /// A suite has fewer cases than the lock file pins (exit code 4).
    #[error("corpus `{corpus}`: suite `{suite}` has {found} cases, but the lock file pins {pinned}")]
    BelowFloor {
        corpus: String,
        suite: String,
        /// The number of runnable cases.
        found: usize,
        /// The pinned number.
        pinned: usize,
    },
    /// The filter selects no case (exit code 4).
    #[error(
        "no case matches {patterns}; a case id has the form `onnx-1.22.0/node/test_abs`, and a text of three such parts without `*` \
         matches only that id"
    )]
    NoCaseSelected {
        /// The patterns, quoted and separated by commas.
        patterns: String,
    },
    /// A local path has no cases in the official layout (exit code 4).
    #[error(
        "no case in `{}`: expected a folder with `model.onnx` and `test_data_set_0`, a folder of such folders, \
         a folder of such suites, or one `.onnx` file with `test_data_set_0` in the same folder",
        path.display()
    )]
    NoCases { path: PathBuf },
    /// A folder's name is not valid in a case id.
    #[error(transparent)]
    CaseId(#[from] InvalidCaseId),
    /// A filter is not a valid glob.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A file cannot be written (exit code 73).
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl CorpusError {
    /// Converts the system's error for `action` on `path`; for `map_err`.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }

    /// Like [`Self::io`], for an action that writes.
    pub fn write(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::CannotWrite {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}
