//! Why policies cannot be used.

use std::io;
use std::path::PathBuf;

use reports::WriteError;

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
        /// What the system said.
        source: io::Error,
    },
    /// Something in the file is not as it must be.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// There is no policy of this name.
    #[error("there is no policy `{name}`; {} has {known}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The name that was asked for.
        name: String,
        /// Those that there are.
        known: String,
    },
}
