//! The files of a package, and why a package cannot be made or is not accepted.

use std::io;
use std::path::PathBuf;

use harness_corpus::errata::ErrataError;
use run_record::LogError;
use run_record::WriteError;

use crate::envelope::EnvelopeError;
use crate::profile::ProfileError;
use crate::result::WaiverError;

pub const ENVELOPE: &str = "statement.json";

/// The profiles used.
pub const PROFILES: &str = "profiles.toml";

/// The waivers, if there are any.
pub const WAIVERS: &str = "waivers.toml";

/// Why a package cannot be made or is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file of the package cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The envelope is not accepted.
    #[error("{ENVELOPE}: {0}")]
    Envelope(#[from] EnvelopeError),
    /// The envelope has no such statement.
    #[error("{ENVELOPE} has no statement of test results: {0}")]
    Statement(String),
    /// A file differs from that of the statement, is missing, or is not in the statement.
    #[error("{file} {problem}")]
    File {
        file: String,
        /// The difference.
        problem: &'static str,
    },
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The profiles cannot be read, or have no such profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The waivers cannot be read, or have no effect.
    #[error(transparent)]
    Waivers(#[from] WaiverError),
    /// The run is incomplete.
    #[error("the run is incomplete; resume it by --resume")]
    Incomplete,
    /// The run has no such backend.
    #[error("the run has no backend `{name}`; it has {known}")]
    Backend {
        name: String,
        /// The backends of the run.
        known: String,
    },
    /// The built-in errata cannot be read.
    #[error(transparent)]
    Errata(#[from] ErrataError),
    /// A file of the package cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
