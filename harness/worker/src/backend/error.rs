//! Why an argument is not a backend.

use harness_fetch::FetchError;

use super::NotInstalled;
use crate::{SendError, SpecError};

/// Why an argument is not a backend.
#[derive(Debug, thiserror::Error)]
pub enum BackendTextError {
    /// There is no worker of that name, or the command is malformed.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// This build has no worker for ONNX Runtime, and there is none in `PATH`.
    #[error(
        "backend `{0}`: this program is static, and a static worker cannot load the shared library of ONNX Runtime: \
         install the program for Linux with glibc"
    )]
    Static(String),
    /// An option has two values.
    #[error("backend `{backend}`: the option `{option}` is given twice")]
    Twice { backend: String, option: String },
    /// The runtime of a backend cannot be obtained.
    #[error("backend `{backend}`: {error}")]
    Runtime {
        backend: String,
        #[source]
        error: FetchError,
    },
    /// There is no installed runtime.
    #[error("backend `{backend}`: {error}")]
    Installed {
        backend: String,
        #[source]
        error: NotInstalled,
    },
    /// A file for a worker on another machine cannot be sent.
    #[error("backend `{backend}`: {error}")]
    Send {
        backend: String,
        #[source]
        error: SendError,
    },
    /// `ort` has both a version and a library.
    #[error("backend `{0}` has both `version` and `library`; set only one")]
    TwoLibraries(String),
    /// `ort` has both a package and a library of a provider.
    #[error("backend `{0}` has both `ep-package` and `ep-library`; set only one")]
    TwoProviders(String),
    /// `onnx-backend:` has no module.
    #[error("backend `{0}` names no module; write `onnx-backend:MODULE` or `onnx-backend:MODULE:DEVICE`")]
    Module(String),
    /// An option that is not `key=value`.
    #[error("backend `{backend}`: option `{option}` is not of the form key=value")]
    Option { backend: String, option: String },
}

impl BackendTextError {
    /// Whether the text is well-formed, but the backend does not exist.
    pub fn is_missing(&self) -> bool {
        match self {
            BackendTextError::Spec(SpecError::Missing { .. } | SpecError::CurrentExe(_))
            | BackendTextError::Static(_)
            | BackendTextError::Runtime { .. }
            | BackendTextError::Installed { .. }
            | BackendTextError::Send { .. } => true,
            BackendTextError::Spec(SpecError::Command(_) | SpecError::Remote { .. })
            | BackendTextError::Module(_)
            | BackendTextError::TwoLibraries(_)
            | BackendTextError::TwoProviders(_)
            | BackendTextError::Option { .. }
            | BackendTextError::Twice { .. } => false,
        }
    }
}
