//! Errors of baselines.

use std::io;
use std::path::PathBuf;

use run_record::WriteError;
use toml_edit::TomlError;

use super::FORMAT;
use crate::gate::portable;

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The file cannot be read.
    #[error("cannot read the baseline `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not valid TOML.
    #[error("`{}` is not valid TOML: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Position and reason.
        source: Box<TomlError>,
    },
    /// A value is invalid.
    #[error("`{}`: {entry}: {problem}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// The key.
        entry: String,
        problem: String,
    },
}

pub(super) fn wrong_format(found: Option<i64>) -> String {
    match found {
        Some(format) => format!("the file has format {format}, but this program reads format {FORMAT}"),
        None => format!("`format = {FORMAT}` is missing: the file may not be a baseline"),
    }
}

pub(super) fn wrong_backend(found: Option<&str>, backend: &str) -> String {
    match found {
        Some(found) => format!(
            "this is the baseline of `{found}`, not of `{}`; name another file by --baseline",
            portable(backend)
        ),
        None => "the name of the backend is missing".to_owned(),
    }
}
