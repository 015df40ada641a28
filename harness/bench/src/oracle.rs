//! The reference, in a worker of its own: it computes expected outputs where none are stored.

use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::{External, Load};
use backend_api::{Bytes, Named};
use harness_worker::{Cancel, Declined, StartError, Worker, WorkerExit, WorkerSpec};

/// A worker of the reference; a worker that ends is replaced.
pub(super) struct Oracle {
    spec: Arc<WorkerSpec>,
    cancel: Cancel,
    timeout: Duration,
    worker: Worker,
}

/// Why the reference gives no outputs.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// The worker cannot be started again.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The worker ended while it ran the model.
    #[error("the reference: {0}")]
    Died(#[from] WorkerExit),
    /// The reference cannot run the model.
    #[error("the reference: {0}")]
    Declined(#[from] Declined),
}

impl Oracle {
    /// Starts the worker. Each load and run may take `timeout`.
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
        external: &External,
        inputs: &[Vec<Named>],
    ) -> Result<Vec<Vec<Named>>, OracleError> {
        let session = self.load(model, external, self.deadline())?;
        let outputs = inputs.iter().map(|set| {
            let deadline = self.deadline();
            Ok(self.worker.run(session, set.clone(), deadline)??.outputs)
        });
        let outputs = outputs.collect::<Result<_, OracleError>>();
        let deadline = self.deadline();
        self.worker.unload(session, deadline)??;
        outputs
    }

    /// The outputs for as many of `inputs` as the reference computes within `budget`, with the reason
    /// for the missing ones.
    pub fn outputs_within(
        &mut self,
        budget: Duration,
        model: &Bytes,
        external: &External,
        inputs: &[Vec<Named>],
    ) -> (Vec<Option<Vec<Named>>>, String) {
        let mut outputs = Vec::new();
        let reason = match self.answer(Instant::now() + budget, model, external, inputs, &mut outputs) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        outputs.resize(inputs.len(), None);
        (outputs, reason)
    }

    fn answer(
        &mut self,
        deadline: Instant,
        model: &Bytes,
        external: &External,
        inputs: &[Vec<Named>],
        outputs: &mut Vec<Option<Vec<Named>>>,
    ) -> Result<(), OracleError> {
        let session = self.load(model, external, deadline)?;
        let mut run = || {
            for set in inputs {
                outputs.push(Some(self.worker.run(session, set.clone(), deadline)??.outputs));
            }
            Ok(())
        };
        let ran = run();
        if self.worker.is_ready() {
            let deadline = self.deadline();
            self.worker.unload(session, deadline)??;
        }
        ran
    }

    /// Loads a model, on a new worker if the last one ended.
    fn load(&mut self, model: &Bytes, external: &External, deadline: Instant) -> Result<u64, OracleError> {
        if !self.worker.is_ready() {
            self.worker = Worker::start(Arc::clone(&self.spec), self.cancel.clone())?;
        }
        let load = Load::of(model.clone(), external.clone(), Vec::new());
        Ok(self.worker.load(load, deadline)??.session)
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
}
