//! A fresh process of a backend with a model: load, warm-up, timed runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::Named;
use backend_api::protocol::{Benched, Load, Ran};
use harness_worker::{Cancel, Declined, StartError, Worker, WorkerExit};

use super::RunOptions;
use super::lane::Lane;
use super::ring::RING;
use super::statistics::median;
use super::subject::Subject;

/// The target duration of a block of warm-up runs, in nanoseconds.
const BLOCK_NS: u64 = 100_000_000;
/// A warm-up ends after this number of blocks or this time, even if times still decrease.
const MAX_BLOCKS: u32 = 10;
const MAX_WARMUP: Duration = Duration::from_millis(500);
/// A block is stable if its shortest run takes at least this fraction of the shortest run before.
const STABLE: f64 = 0.97;

/// A process with the model loaded.
pub(super) struct Session<'s> {
    worker: Worker,
    session: u64,
    subject: &'s Subject,
    options: RunOptions,
    /// The time of the load.
    pub load_ns: u64,
}

/// Why a request to a process failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    /// The process does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The process ended.
    #[error(transparent)]
    Exit(#[from] WorkerExit),
    /// The backend declined the request.
    #[error(transparent)]
    Declined(#[from] Declined),
    /// The answer has another number of times.
    #[error("expected {expected} timed runs, got {got}")]
    Count {
        /// The number of requested runs.
        expected: u32,
        /// The number of times in the answer.
        got: usize,
    },
}

impl<'s> Session<'s> {
    /// Starts a process and loads the model. The process gets no input before the first run: it could
    /// compute the outputs at load.
    pub fn begin(
        lane: &Lane,
        subject: &'s Subject,
        options: RunOptions,
        cancel: &Cancel,
    ) -> Result<Session<'s>, SessionError> {
        let mut worker = Worker::start(Arc::clone(&lane.spec), cancel.clone())?;
        let load = Load::of(subject.model.clone(), subject.external.clone(), Vec::new());
        let loaded = worker.load(load, Instant::now() + options.timeout)??;
        Ok(Session {
            worker,
            session: loaded.session,
            subject,
            options,
            load_ns: loaded.nanoseconds,
        })
    }

    /// Runs the model once on an entry of the ring.
    pub fn run(&mut self, entry: usize) -> Result<Ran, SessionError> {
        let inputs = self.subject.ring.sets.get(entry).cloned().unwrap_or_default();
        let deadline = Instant::now() + self.options.timeout;
        Ok(self.worker.run(self.session, inputs, deadline)??)
    }

    /// Runs until times do not decrease, given that a first run took `first_ns`.
    pub fn warm_up(&mut self, first_ns: u64) -> Result<(), SessionError> {
        let runs = (BLOCK_NS / first_ns.max(1)).clamp(1, RING as u64) as u32;
        let (began, mut best) = (Instant::now(), None);
        for _ in 0..MAX_BLOCKS {
            let times = self.bench(0, runs, self.ring_from(0))?.nanoseconds;
            let least = times.into_iter().min().unwrap_or_default();
            if is_stable(best, least) || began.elapsed() > MAX_WARMUP {
                break;
            }
            best = Some(best.map_or(least, |best: u64| best.min(least)));
        }
        Ok(())
    }

    /// Timed runs over the ring, starting with an entry.
    pub fn timed(&mut self, warmup: u32, runs: u32, begin: usize) -> Result<Benched, SessionError> {
        self.bench(warmup, runs, self.ring_from(begin))
    }

    /// Runs on one entry of the ring, in as many buffers as the ring has: one that is not counted, and
    /// `runs` less one, at least one.
    pub fn repeated(&mut self, entry: usize, runs: usize) -> Result<Benched, SessionError> {
        let set = self.subject.ring.sets.get(entry).cloned().unwrap_or_default();
        let counted = runs.saturating_sub(1).max(1) as u32;
        self.bench(1, counted, vec![set; RING])
    }

    /// The median time of runs on fresh inputs, the `number`-th and the next; of one if `runs` is 1. `None`
    /// if there are none.
    pub fn fresh(&mut self, number: u64, runs: usize) -> Result<Option<u64>, SessionError> {
        let ring = &self.subject.ring;
        let count = runs.min(2);
        let fresh: Option<Vec<_>> = (0..count as u64).map(|next| ring.fresh(number + next)).collect();
        let Some(fresh) = fresh else { return Ok(None) };
        // Known inputs come first: the first runs of a request are slower.
        let known = ring.sets.len().min(count);
        let sets: Vec<_> = ring.sets.iter().take(known).cloned().chain(fresh).collect();
        let times = self.bench(0, sets.len() as u32, sets)?.nanoseconds;
        Ok(times.get(known..).map(median))
    }

    /// The peak memory of the process.
    pub fn peak_memory(&self) -> Option<u64> {
        self.worker.peak_memory()
    }

    fn ring_from(&self, begin: usize) -> Vec<Vec<Named>> {
        let mut sets = self.subject.ring.sets.clone();
        let begin = begin % sets.len().max(1);
        sets.rotate_left(begin);
        sets
    }

    fn bench(&mut self, warmup: u32, runs: u32, sets: Vec<Vec<Named>>) -> Result<Benched, SessionError> {
        let deadline = Instant::now() + self.options.timeout;
        let benched = self.worker.bench(self.session, warmup, runs, sets, deadline)??;
        match benched.nanoseconds.len() {
            got if got == runs as usize => Ok(benched),
            got => Err(SessionError::Count { expected: runs, got }),
        }
    }
}

/// Whether a block whose shortest run took `least` is not faster than the `best` before; `None` for the
/// first block.
fn is_stable(best: Option<u64>, least: u64) -> bool {
    best.is_some_and(|best| least as f64 >= STABLE * best as f64)
}

#[cfg(test)]
mod tests {
    use super::is_stable;

    #[test]
    fn a_warm_up_ends_when_times_do_not_decrease() {
        assert!(!is_stable(None, 100));
        assert!(!is_stable(Some(100), 90));
        assert!(is_stable(Some(100), 97));
        assert!(is_stable(Some(100), 110));
    }
}
