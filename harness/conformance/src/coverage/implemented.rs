//! Which operator versions a backend says that it has.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use harness_worker::{Cancel, Declined, StartError, Worker, WorkerExit, WorkerSpec};

/// Why a backend's operators cannot be learnt.
#[derive(Debug, thiserror::Error)]
pub enum ImplementedError {
    /// No worker.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It died over the question.
    #[error("backend `{backend}` cannot tell its operators: {exit}")]
    Died {
        /// The backend.
        backend: String,
        /// What it died of.
        #[source]
        exit: WorkerExit,
    },
    /// It does not answer the question.
    #[error("backend `{backend}` cannot tell its operators: {declined}")]
    Declined {
        /// The backend.
        backend: String,
        /// Why.
        #[source]
        declined: Declined,
    },
}

/// Asks a worker for its operator versions, `Softmax-13`. Empty where the backend does not list them.
///
/// # Errors
/// A worker that does not start, dies, or declines.
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
