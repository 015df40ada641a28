//! The reference as the referee of answers: it makes the runs that an answer needs, and no others.
//!
//! An equal answer needs none. Most others are clearly right by two runs with random rounding; the others get
//! all runs of the most accurate class of arithmetic, and only those that it does not explain get the runs of
//! all classes ([`Effort`]). The runs are kept for the answers of all backends ([`Collected`]).

mod alternatives;
mod collected;
mod effort;
mod halves;
mod rounding;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use backend_api::Named;
use harness_compare::Comparison;
use harness_worker::{Cancel, StartError, WorkerSpec};

use crate::reference::runner::{RunRequest, Runner};

pub use collected::Collected;
pub use effort::Effort;
pub use halves::has_halves;
pub(crate) use rounding::rounding;

/// Workers of the reference for answers that are judged at the same time.
#[derive(Debug)]
pub struct Referee {
    effort: Effort,
    /// Has no worker.
    template: Runner,
    idle: Mutex<Vec<Runner>>,
    /// When the answers came that are judged now.
    waiting: Mutex<Vec<Instant>>,
    nanoseconds: AtomicU64,
}

impl Referee {
    /// Starts the first worker. Each load and run may take `timeout`.
    ///
    /// # Errors
    /// The worker does not start.
    pub fn start(
        spec: WorkerSpec,
        effort: Effort,
        cancel: Cancel,
        timeout: Duration,
    ) -> Result<Referee, StartError> {
        let first = Runner::start(spec, cancel, timeout)?;
        Ok(Referee {
            effort,
            template: first.another(),
            idle: Mutex::new(vec![first]),
            waiting: Mutex::default(),
            nanoseconds: AtomicU64::new(0),
        })
    }

    /// Attaches the judgement of each output of an answer to `comparison`, which compares it with the
    /// expected outputs. If no worker starts again, nothing is attached.
    pub fn judge(
        &self,
        collected: &Mutex<Collected>,
        comparison: &mut Comparison,
        observed: &[Named],
        request: &RunRequest,
    ) {
        let began = Instant::now();
        let waiting = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting().push(began);
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let mut runner = known.unwrap_or_else(|| self.template.another());
        let mut collected = collected.lock().unwrap_or_else(PoisonError::into_inner);
        let judged = collected.judge(comparison, observed, request, &self.effort, &mut runner);
        if judged.is_ok() {
            idle().push(runner);
        }
        let mut waiting = waiting();
        if let Some(place) = waiting.iter().position(|one| *one == began) {
            waiting.swap_remove(place);
        }
        let spent = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(spent, Ordering::Relaxed);
    }

    /// How long the answer has waited that is judged for the longest time now.
    pub fn judging(&self) -> Option<Duration> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.iter().map(Instant::elapsed).max()
    }

    /// The time that answers waited for their judgement, added up over all of them.
    pub fn spent(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }
}
