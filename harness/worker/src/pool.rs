//! Several workers of one backend that share a list of jobs.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use backend_api::Description;

use super::{Cancel, StartError, Worker, WorkerExit, WorkerExitKind, WorkerSpec};

/// The workers of one backend. They stay warm between lists of jobs.
#[derive(Debug)]
pub struct Pool {
    spec: Arc<WorkerSpec>,
    size: NonZeroUsize,
    cancel: Cancel,
    description: Description,
    idle: Mutex<Vec<Worker>>,
    started: AtomicUsize,
    /// The number of failed starts since the last successful one.
    failed_starts: AtomicUsize,
}

/// The maximum number of consecutive failed starts: each may take as long as a handshake timeout.
const MAX_FAILED_STARTS: usize = 3;

/// The outcome of a job.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The result of the job, or why it failed.
    pub result: Result<T, Failure>,
    /// The number of attempts: 2 if the first worker ended during the job and may have been faulty before.
    pub attempts: u32,
    /// How the first worker ended. If `result` is `Ok`, the worker was already faulty, or the fault is
    /// intermittent.
    pub first_exit: Option<WorkerExit>,
}

/// Why a job failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The worker ended, and had done nothing before.
    #[error(transparent)]
    Died(#[from] WorkerExit),
    /// A worker that ended could not be replaced.
    #[error(transparent)]
    NotStarted(#[from] StartError),
}

/// Whether all jobs were completed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Completion {
    /// Every job has an outcome.
    Complete,
    /// The run was cancelled; some jobs have no outcome.
    Cancelled,
    /// No worker could be started; some jobs have no outcome, or [`Failure::NotStarted`].
    GaveUp,
}

impl Pool {
    /// Starts the first worker, so that a missing backend is an early error; up to `size` are started on
    /// demand.
    pub fn start(spec: WorkerSpec, size: NonZeroUsize, cancel: Cancel) -> Result<Pool, StartError> {
        let spec = Arc::new(spec);
        let first = Worker::start(Arc::clone(&spec), cancel.clone())?;
        Ok(Pool {
            description: first.description().clone(),
            spec,
            size,
            cancel,
            idle: Mutex::new(vec![first]),
            started: AtomicUsize::new(1),
            failed_starts: AtomicUsize::new(0),
        })
    }

    /// The description from the handshake.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The number of workers started so far; each one beyond the size of the pool replaced one that ended.
    pub fn started(&self) -> usize {
        self.started.load(Ordering::Relaxed)
    }

    /// Runs every job with exclusive use of a worker, as many jobs at a time as the pool has workers.
    /// `done` receives the outcomes with the job's index as they complete, on the calling thread.
    ///
    /// If a worker ends, its job is retried once in a fresh worker. Only an exit of that one counts as the
    /// job's result, so that a faulty worker does not affect the next job. A job that takes all its time in
    /// a fresh worker is not retried: it would take it again.
    pub fn run_jobs<J: Sync, T: Send>(
        &self,
        jobs: &[J],
        work: impl Fn(&mut Worker, &J) -> Result<T, WorkerExit> + Sync,
        mut done: impl FnMut(usize, Outcome<T>),
    ) -> Completion {
        let next = AtomicUsize::new(0);
        let (sender, outcomes) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..self.size.get().min(jobs.len()) {
                let (sender, next, work) = (sender.clone(), &next, &work);
                scope.spawn(move || {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(outcome) = jobs.get(index).and_then(|job| self.try_job(job, work)) else {
                            break;
                        };
                        if sender.send((index, outcome)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            outcomes
                .into_iter()
                .for_each(|(index, outcome)| done(index, outcome));
        });
        if self.cancel.is_cancelled() {
            Completion::Cancelled
        } else if self.has_given_up() {
            Completion::GaveUp
        } else {
            Completion::Complete
        }
    }

    fn has_given_up(&self) -> bool {
        self.failed_starts.load(Ordering::Relaxed) >= MAX_FAILED_STARTS
    }

    /// Up to two attempts; `None` if cancelled, or if no worker can be started.
    fn try_job<J, T>(
        &self,
        job: &J,
        work: impl Fn(&mut Worker, &J) -> Result<T, WorkerExit>,
    ) -> Option<Outcome<T>> {
        let mut first_exit = None;
        for attempts in 1..=2 {
            if self.cancel.is_cancelled() || self.has_given_up() {
                break;
            }
            let worker = if attempts == 1 { self.take() } else { self.fresh() };
            let mut unused = false;
            let result = match worker {
                Ok(mut worker) => {
                    unused = worker.is_unused();
                    let result = work(&mut worker, job).map_err(Failure::Died);
                    self.give_back(worker);
                    result
                }
                Err(error) => Err(Failure::NotStarted(error)),
            };
            match result {
                Err(_) if self.cancel.is_cancelled() => break,
                Err(Failure::Died(exit)) if attempts == 1 && !(unused && exit.is_timeout()) => {
                    first_exit = Some(exit);
                }
                result => {
                    return Some(Outcome {
                        result,
                        attempts,
                        first_exit,
                    });
                }
            }
        }
        None
    }

    /// A ready worker: a warm one if there is one.
    fn take(&self) -> Result<Worker, StartError> {
        while let Some(mut worker) = self.idle().pop() {
            if worker.is_ready() {
                return Ok(worker);
            }
        }
        self.fresh()
    }

    fn fresh(&self) -> Result<Worker, StartError> {
        self.started.fetch_add(1, Ordering::Relaxed);
        let worker = Worker::start(Arc::clone(&self.spec), self.cancel.clone());
        match &worker {
            Ok(_) => self.failed_starts.store(0, Ordering::Relaxed),
            Err(_) => drop(self.failed_starts.fetch_add(1, Ordering::Relaxed)),
        }
        worker
    }

    fn give_back(&self, mut worker: Worker) {
        if worker.is_ready() {
            self.idle().push(worker);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WorkerExit {
    /// Whether the run was cancelled, so that it is not the worker's own exit.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.kind, WorkerExitKind::Cancelled)
    }

    /// Whether the worker took all its time.
    pub fn is_timeout(&self) -> bool {
        matches!(self.kind, WorkerExitKind::Timeout { .. })
    }
}
