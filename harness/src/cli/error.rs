//! Why a command could not do its work, and the exit code that says so.

use reports::WriteError;
use reports::record::LogError;
use reports::render::RenderError;

use super::Exit;
use crate::backend::BackendTextError;
use crate::bench::ExportError;
use crate::corpus::{CorpusError, PinError};
use crate::coverage::ImplementedError;
use crate::errata::ErrataError;
use crate::gate::BaselineError;
use crate::locale::LocaleError;
use crate::own::OwnError;
use crate::policy::PolicyError;
use crate::run::RunError;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
#[allow(
    missing_docs,
    reason = "each variant carries the error it is named after, which says all"
)]
pub enum CliError {
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    #[error(transparent)]
    Own(#[from] OwnError),
    #[error(transparent)]
    Pin(#[from] PinError),
    #[error(transparent)]
    BackendText(#[from] BackendTextError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Implemented(#[from] ImplementedError),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error(transparent)]
    Errata(#[from] ErrataError),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Locale(#[from] LocaleError),
    #[error("cannot listen for signals: {0}")]
    Signals(#[source] std::io::Error),
    #[error("{0}")]
    Usage(String),
}

impl CliError {
    /// The exit code for this error.
    pub fn exit(&self) -> Exit {
        match self {
            CliError::Corpus(
                CorpusError::BelowFloor { .. }
                | CorpusError::NoCaseSelected { .. }
                | CorpusError::NoCases { .. },
            ) => Exit::NoCases,
            CliError::Corpus(_)
            | CliError::Pin(_)
            | CliError::Errata(_)
            | CliError::Baseline(_)
            | CliError::Policy(_)
            | CliError::Usage(_) => Exit::Usage,
            CliError::BackendText(_)
            | CliError::Implemented(_)
            | CliError::Locale(_)
            | CliError::Export(ExportError::Start(_) | ExportError::Subject { .. })
            | CliError::Run(RunError::Backend(_)) => Exit::BackendMissing,
            CliError::Log(_)
            | CliError::Write(_)
            | CliError::Export(ExportError::Write { .. })
            | CliError::Run(RunError::Log(_)) => Exit::CannotWrite,
            CliError::Own(_) | CliError::Signals(_) | CliError::Render(_) => Exit::Internal,
        }
    }
}
