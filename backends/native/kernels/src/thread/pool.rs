//! [`Pool`]: the interface of the threads for kernels.

use std::ops::Range;
use std::sync::{Arc, Mutex, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::worker::{Board, work};
use crate::{Isa, Result};

#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// The number of computing threads, including the caller's; at least one.
    pub threads: usize,
    /// The instruction set of the kernels on this pool.
    pub isa: Isa,
    /// The time that a thread spins before it sleeps, while it waits for work or for the others to finish.
    /// Spinning avoids the tens of microseconds of a wakeup, but uses processor time that other programs may
    /// need.
    pub spin: Duration,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self {
            threads: 1,
            isa: Isa::detect(),
            spin: Duration::from_micros(20),
        }
    }
}

/// Threads that wait for work, and the instruction set of the work.
pub struct Pool {
    isa: Isa,
    threads: usize,
    spin: Duration,
    board: Arc<Board>,
    workers: Vec<JoinHandle<()>>,
    /// Held while a job runs; a caller that cannot lock it works alone.
    busy: Mutex<()>,
}

impl Pool {
    /// Makes a pool of `threads` threads (including the caller's; 0 counts as 1) with the best kernels of
    /// this processor.
    pub fn new(threads: usize) -> Self {
        Self::start(PoolOptions {
            threads,
            ..PoolOptions::default()
        })
    }

    /// Makes a pool with these options; fails if this processor does not support the instruction set.
    pub fn with_options(options: PoolOptions) -> Result<Self> {
        options.isa.check()?;
        Ok(Self::start(options))
    }

    /// Like [`Self::new`], with a given instruction set; fails if this processor does not support it.
    pub fn with_isa(threads: usize, isa: Isa) -> Result<Self> {
        Self::with_options(PoolOptions {
            threads,
            isa,
            ..PoolOptions::default()
        })
    }

    fn start(options: PoolOptions) -> Self {
        let board = Arc::new(Board::new(options.threads.saturating_sub(1)));
        let mut workers = Vec::new();
        for index in 1..options.threads {
            let board = Arc::clone(&board);
            let spin = options.spin;
            let started = std::thread::Builder::new()
                .name(format!("kernel-{index}"))
                .spawn(move || work(&board, index, spin));
            // If the system allows fewer threads, the pool is smaller; results do not depend on the number.
            match started {
                Ok(worker) => workers.push(worker),
                Err(_) => break,
            }
        }
        Self {
            isa: options.isa,
            threads: workers.len() + 1,
            spin: options.spin,
            board,
            workers,
            busy: Mutex::new(()),
        }
    }

    /// The instruction set of the kernels.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The number of computing threads, including the caller's.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Calls `body(0)` … `body(threads - 1)` on the threads, and returns when all have returned. The calling
    /// thread also does the part of a thread that has not begun yet. A panic in any of them is propagated to
    /// the caller after the others have ended.
    pub fn run(&self, body: &(dyn Fn(usize) + Sync)) {
        let guard = match self.busy.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        match guard {
            Some(_guard) if !self.workers.is_empty() => self.board.run(&self.workers, self.spin, body),
            _ => (0..self.threads).for_each(body),
        }
    }

    /// Calls `body` with contiguous ranges that cover `0..items`: one for each thread, none empty, divided at
    /// multiples of `grain`. Work of at most one grain stays on the calling thread.
    pub fn split(&self, items: usize, grain: usize, body: impl Fn(Range<usize>) + Sync) {
        let grain = grain.max(1);
        let grains = items.div_ceil(grain);
        if items == 0 {
            return;
        }
        if self.threads == 1 || grains == 1 {
            return body(0..items);
        }
        self.run(&|index| {
            let range = share(grains, self.threads, index);
            if !range.is_empty() {
                body(range.start * grain..(range.end * grain).min(items));
            }
        });
    }
}

/// Returns the part of `0..items` of thread `index` of `threads`; sizes differ by at most one.
pub(crate) fn share(items: usize, threads: usize, index: usize) -> Range<usize> {
    let (each, rest) = (items / threads, items % threads);
    let start = index * each + index.min(rest);
    start..start + each + usize::from(index < rest)
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.board.stop(&self.workers);
        for worker in self.workers.drain(..) {
            // The panic of a worker was propagated to the caller of its job.
            let _ = worker.join();
        }
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pool of {} threads, {:?}", self.threads, self.isa)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_item_is_done_once() {
        for threads in [1, 2, 3, 5] {
            let pool = Pool::new(threads);
            for (items, grain) in [(0, 1), (1, 1), (7, 3), (100, 1), (101, 16)] {
                let done: Vec<_> = (0..items).map(|_| AtomicUsize::new(0)).collect();
                pool.split(items, grain, |range| {
                    assert!(range.start % grain == 0);
                    for item in range {
                        done[item].fetch_add(1, Ordering::Relaxed);
                    }
                });
                assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn a_task_may_use_the_pool() {
        let pool = Pool::new(3);
        let sum = AtomicUsize::new(0);
        pool.split(3, 1, |outer| {
            for _ in outer {
                pool.split(5, 1, |inner| {
                    sum.fetch_add(inner.len(), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(sum.into_inner(), 15);
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_remains_usable() {
        let pool = Pool::new(2);
        let fail = |index: usize| assert!(index == 0, "thread {index} fails");
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.run(&fail)));
        assert!(caught.is_err());
        let count = AtomicUsize::new(0);
        pool.run(&|_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.into_inner(), 2);
    }
}
