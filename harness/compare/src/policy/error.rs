//! Errors of policies.

use std::io;
use std::path::PathBuf;

use run_record::WriteError;

/// Why policies cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The file cannot be read.
    #[error("cannot read the tolerances `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is invalid.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// What is wrong, and what is expected.
        problem: String,
    },
    /// There is no policy of this name.
    #[error("there is no policy `{name}`; {} has {known}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The requested name.
        name: String,
        /// The existing names.
        known: String,
    },
}
