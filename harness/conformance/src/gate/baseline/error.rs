//! Why a baseline cannot be used.

use std::io;
use std::path::PathBuf;

use reports::WriteError;
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
        /// What the system said.
        source: io::Error,
    },
    /// The file is no TOML.
    #[error("`{}` is no TOML: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<TomlError>,
    },
    /// A value is not what it must be.
    #[error("`{}`: {entry}: {problem}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// The key.
        entry: String,
        /// What is wrong with it.
        problem: String,
    },
}

pub(super) fn wrong_format(found: Option<i64>) -> String {
    match found {
        Some(format) => format!("the file has format {format}, and this program reads format {FORMAT}"),
        None => format!("the file does not say `format = {FORMAT}`: it may be no baseline"),
    }
}

pub(super) fn wrong_backend(found: Option<&str>, backend: &str) -> String {
    match found {
        Some(found) => format!(
            "this is the baseline of `{found}`, and not of `{}`; name another file by --baseline",
            portable(backend)
        ),
        None => "the file does not say of which backend it is the baseline".to_owned(),
    }
}
