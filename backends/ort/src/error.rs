//! Conversion of status codes of the runtime to errors.

use backend_api::BackendError;
use ort::ErrorCode;

/// The error for a failed load of a model.
pub(crate) fn load(error: ort::Error) -> BackendError {
    typed(&error).unwrap_or_else(|| BackendError::load(first_line(&error)))
}

/// The error for a failed run of a model, or for a failed conversion of its inputs and outputs.
pub(crate) fn run(error: ort::Error) -> BackendError {
    typed(&error).unwrap_or_else(|| BackendError::run(first_line(&error)))
}

/// Only the status code decides whether a failure means *unsupported*; messages are not interpreted.
fn typed(error: &ort::Error) -> Option<BackendError> {
    (error.code() == ErrorCode::NotImplemented).then(|| BackendError::unsupported(first_line(error)))
}

/// The first line of the message. Later lines are listings that differ between runs and machines.
fn first_line(error: &ort::Error) -> &str {
    error.message().lines().next().unwrap_or_default().trim_end()
}
