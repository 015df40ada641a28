//! The operator versions that a backend reports.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use harness_worker::{Cancel, Declined, StartError, Worker, WorkerExit, WorkerSpec};

/// Why the operators of a backend are unknown.
#[derive(Debug, thiserror::Error)]
pub enum ImplementedError {
    /// The worker does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The worker ended during the request.
    #[error("backend `{backend}` does not report its operators: {exit}")]
    Died {
        backend: String,
        /// How it ended.
        #[source]
        exit: WorkerExit,
    },
    /// The worker declined the request.
    #[error("backend `{backend}` does not report its operators: {declined}")]
    Declined {
        backend: String,
        /// The reason.
        #[source]
        declined: Declined,
    },
}

/// Requests the operator versions of a worker, `Softmax-13`. Empty if the backend does not list them.
///
/// # Errors
/// The worker does not start, ends, or declines the request.
pub fn implemented(spec: &WorkerSpec) -> Result<BTreeSet<String>, ImplementedError> {
    let backend = || spec.name.clone();
    let mut worker = Worker::start(Arc::new(spec.clone()), Cancel::default())?;
    let deadline = Instant::now() + spec.limits.start;
    let answer = worker
        .capabilities(deadline)
        .map_err(|exit| ImplementedError::Died {
            backend: backend(),
            exit,
        })?;
    let capabilities = answer.map_err(|declined| ImplementedError::Declined {
        backend: backend(),
        declined,
    })?;
    Ok(capabilities.operators.into_iter().collect())
}
