//! The reference, in a worker of its own: what outputs are right where none are stored.

use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::{ExternalFile, Load};
use backend_api::{Bytes, Named};
use harness_worker::{Cancel, Declined, StartError, Worker, WorkerExit, WorkerSpec};

/// A worker of the reference; one that dies is replaced.
pub(super) struct Oracle {
    spec: Arc<WorkerSpec>,
    cancel: Cancel,
    timeout: Duration,
    worker: Worker,
}

/// Why the reference does not tell.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// It cannot be started again.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It died of the model.
    #[error("the reference: {0}")]
    Died(#[from] WorkerExit),
    /// It cannot run the model.
    #[error("the reference: {0}")]
    Declined(#[from] Declined),
}

impl Oracle {
    /// Starts it. Each load and run may take `timeout`.
    pub fn start(spec: WorkerSpec, cancel: Cancel, timeout: Duration) -> Result<Oracle, StartError> {
        let spec = Arc::new(spec);
        let worker = Worker::start(Arc::clone(&spec), cancel.clone())?;
        Ok(Oracle {
            spec,
            cancel,
            timeout,
            worker,
        })
    }

    /// The outputs for each of `inputs`.
    pub fn outputs(
        &mut self,
        model: &Bytes,
        files: &[ExternalFile],
        inputs: &[Vec<Named>],
    ) -> Result<Vec<Vec<Named>>, OracleError> {
        if !self.worker.is_ready() {
            self.worker = Worker::start(Arc::clone(&self.spec), self.cancel.clone())?;
        }
        let load = Load {
            model: model.clone(),
            files: files.to_vec(),
            ..Load::default()
        };
        let session = self.worker.load(load, self.deadline())??.session;
        let outputs = inputs.iter().map(|set| {
            let deadline = self.deadline();
            Ok(self.worker.run(session, set.clone(), deadline)??.outputs)
        });
        let outputs = outputs.collect::<Result<_, OracleError>>();
        let deadline = self.deadline();
        self.worker.unload(session, deadline)??;
        outputs
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
}
