//! A model in a fresh process of a backend: loaded, warmed up, timed.

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

/// Nanoseconds that a block of warm-up runs should take.
const BLOCK_NS: u64 = 100_000_000;
/// A warm-up ends after so many blocks or so much time, stable or not.
const MOST_BLOCKS: u32 = 10;
const LONGEST: Duration = Duration::from_millis(500);
/// A block is stable if its shortest run is not shorter than this part of the shortest one before.
const STABLE: f64 = 0.97;

/// A process with the model loaded.
pub(super) struct Visit<'s> {
    worker: Worker,
    session: u64,
    subject: &'s Subject,
    conduct: RunOptions,
    /// How long the load took.
    pub load_ns: u64,
}

/// Why a process could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum VisitError {
    /// It does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It ended.
    #[error(transparent)]
    Exit(#[from] WorkerExit),
    /// It cannot do it.
    #[error(transparent)]
    Declined(#[from] Declined),
    /// It answered with too few or too many times.
    #[error("expected {expected} timed runs, got {got}")]
    Count {
        /// Runs that were asked for.
        expected: u32,
        /// Times that came.
        got: usize,
    },
}

impl<'s> Visit<'s> {
    /// Starts a process and loads the model. No input is given before the first run: what is known at load can be computed then.
    pub fn begin(
        lane: &Lane,
        subject: &'s Subject,
        conduct: RunOptions,
        cancel: &Cancel,
    ) -> Result<Visit<'s>, VisitError> {
        let mut worker = Worker::start(Arc::clone(&lane.spec), cancel.clone())?;
        let load = Load {
            model: subject.model.clone(),
            files: subject.files.clone(),
            ..Load::default()
        };
        let loaded = worker.load(load, Instant::now() + conduct.timeout)??;
        Ok(Visit {
            worker,
            session: loaded.session,
            subject,
            conduct,
            load_ns: loaded.nanoseconds,
        })
    }

    /// One run on an entry of the ring.
    pub fn run(&mut self, entry: usize) -> Result<Ran, VisitError> {
        let inputs = self.subject.ring.sets.get(entry).cloned().unwrap_or_default();
        let deadline = Instant::now() + self.conduct.timeout;
        Ok(self.worker.run(self.session, inputs, deadline)??)
    }

    /// Runs until the times do not get shorter any more, where a first run took `first_ns`.
    pub fn warm_up(&mut self, first_ns: u64) -> Result<(), VisitError> {
        let runs = (BLOCK_NS / first_ns.max(1)).clamp(1, RING as u64) as u32;
        let (began, mut best) = (Instant::now(), None);
        for _ in 0..MOST_BLOCKS {
            let times = self.bench(0, runs, self.ring_from(0))?.nanoseconds;
            let least = times.into_iter().min().unwrap_or_default();
            if is_stable(best, least) || began.elapsed() > LONGEST {
                break;
            }
            best = Some(best.map_or(least, |best: u64| best.min(least)));
        }
        Ok(())
    }

    /// Timed runs over the ring, beginning with an entry.
    pub fn timed(&mut self, warmup: u32, runs: u32, begin: usize) -> Result<Benched, VisitError> {
        self.bench(warmup, runs, self.ring_from(begin))
    }

    /// Runs on one entry of the ring, in as many buffers as the ring has.
    pub fn repeated(&mut self, entry: usize) -> Result<Benched, VisitError> {
        let set = self.subject.ring.sets.get(entry).cloned().unwrap_or_default();
        self.bench(1, RING as u32 - 1, vec![set; RING])
    }

    /// The median time of runs on inputs that were never used, the `number`-th and the next; none where there are none.
    pub fn fresh(&mut self, number: u64) -> Result<Option<u64>, VisitError> {
        let ring = &self.subject.ring;
        let fresh: Option<Vec<_>> = (0..2).map(|next| ring.fresh(number + next)).collect();
        let Some(fresh) = fresh else { return Ok(None) };
        // Known inputs first: the first runs of a request pay for its arrival.
        let known = ring.sets.len().min(2);
        let sets: Vec<_> = ring.sets.iter().take(known).cloned().chain(fresh).collect();
        let times = self.bench(0, sets.len() as u32, sets)?.nanoseconds;
        Ok(times.get(known..).map(median))
    }

    /// The most memory that the process had.
    pub fn peak_memory(&self) -> Option<u64> {
        self.worker.peak_memory()
    }

    fn ring_from(&self, begin: usize) -> Vec<Vec<Named>> {
        let mut sets = self.subject.ring.sets.clone();
        let begin = begin % sets.len().max(1);
        sets.rotate_left(begin);
        sets
    }

    fn bench(&mut self, warmup: u32, runs: u32, sets: Vec<Vec<Named>>) -> Result<Benched, VisitError> {
        let deadline = Instant::now() + self.conduct.timeout;
        let benched = self.worker.bench(self.session, warmup, runs, sets, deadline)??;
        match benched.nanoseconds.len() {
            got if got == runs as usize => Ok(benched),
            got => Err(VisitError::Count { expected: runs, got }),
        }
    }
}

/// Whether a block whose shortest run took `least` is not faster than the `best` before; not known of the first.
fn is_stable(best: Option<u64>, least: u64) -> bool {
    best.is_some_and(|best| least as f64 >= STABLE * best as f64)
}

#[cfg(test)]
mod tests {
    use super::is_stable;

    #[test]
    fn a_warm_up_ends_when_runs_do_not_get_shorter() {
        assert!(!is_stable(None, 100));
        assert!(!is_stable(Some(100), 90));
        assert!(is_stable(Some(100), 97));
        assert!(is_stable(Some(100), 110));
    }
}
