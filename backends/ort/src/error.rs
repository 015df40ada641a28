//! What the runtime's statuses mean.

use backend_api::BackendError;
use ort::ErrorCode;

/// A status of loading a model.
pub(crate) fn load(error: ort::Error) -> BackendError {
    typed(&error).unwrap_or_else(|| BackendError::load(first_line(&error)))
}

/// A status of running a model, or of moving its inputs and outputs.
pub(crate) fn run(error: ort::Error) -> BackendError {
    typed(&error).unwrap_or_else(|| BackendError::run(first_line(&error)))
}

/// The runtime says by its code, and by nothing else, that it lacks something; the wording is never consulted.
fn typed(error: &ort::Error) -> Option<BackendError> {
    (error.code() == ErrorCode::NotImplemented).then(|| BackendError::unsupported(first_line(error)))
}

/// Later lines are listings that differ between runs and machines.
fn first_line(error: &ort::Error) -> &str {
    error.message().lines().next().unwrap_or_default().trim_end()
}
