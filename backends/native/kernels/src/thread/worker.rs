//! The threads of a pool, and the board through which they receive jobs.

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

type Body = dyn Fn(usize) + Sync;
type Panic = Box<dyn Any + Send>;

/// The job, and the thread to wake when it is done.
#[derive(Clone)]
struct Job {
    body: *const Body,
    caller: Thread,
}

/// The board where the caller posts a job and the workers report completion.
///
/// A job has a part for each thread. A worker takes its own part. The caller takes part 0, and then the parts
/// that no worker has taken yet: it does not wait for a thread that the system wakes late, and a part is
/// the same work on every thread.
///
/// The job is written before `posted` increases (release) and read after a worker sees the increase
/// (acquire) and has taken its part. It is not written again before `pending` is zero, which is after the
/// last part that was taken. That orders every access to the cell.
pub(super) struct Board {
    job: UnsafeCell<Option<Job>>,
    /// The number of jobs so far.
    posted: AtomicU64,
    /// The number of the last job of which the part of each worker was taken.
    taken: Vec<AtomicU64>,
    /// The number of parts of workers that are not done.
    pending: AtomicUsize,
    stopping: AtomicBool,
    panic: Mutex<Option<Panic>>,
}

// SAFETY: access to the cell is ordered as the comment of the type states; the body behind the pointer is
// `Sync`, and lives until `run` returns, which is after the last part was done.
unsafe impl Send for Board {}
// SAFETY: as above.
unsafe impl Sync for Board {}

impl Board {
    /// A board for this number of workers.
    pub fn new(workers: usize) -> Board {
        Board {
            job: UnsafeCell::new(None),
            posted: AtomicU64::new(0),
            taken: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            pending: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            panic: Mutex::new(None),
        }
    }

    /// Runs `body` for every worker and, as number 0, on this thread. Only one call at a time (the pool's
    /// lock).
    pub fn run(&self, workers: &[JoinHandle<()>], spin: Duration, body: &(dyn Fn(usize) + Sync)) {
        // SAFETY: this only extends the lifetime of the pointer: `run` returns after every part is done.
        let body_ptr =
            unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const Body>(body) };
        let job = Job {
            body: body_ptr,
            caller: std::thread::current(),
        };
        // SAFETY: no worker reads the cell now: all parts of the last job are done, and `posted` has not
        // increased.
        unsafe { *self.job.get() = Some(job) };
        self.pending.store(workers.len(), Ordering::Relaxed);
        let number = self.posted.fetch_add(1, Ordering::Release) + 1;
        workers.iter().for_each(|worker| worker.thread().unpark());
        self.attempt(body, 0);
        for index in 1..=workers.len() {
            if self.take(index, number) {
                self.attempt(body, index);
                self.pending.fetch_sub(1, Ordering::Relaxed);
            }
        }
        wait(spin, || self.pending.load(Ordering::Acquire) == 0);
        let panic = self
            .panic
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Takes the part of worker `index` of this job, unless it was taken.
    fn take(&self, index: usize, number: u64) -> bool {
        let part = &self.taken[index - 1];
        part.compare_exchange(number - 1, number, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// Does a part; keeps its panic for the caller.
    fn attempt(&self, body: &(dyn Fn(usize) + Sync), index: usize) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(index))) {
            let mut kept = self.panic.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            *kept = Some(panic);
        }
    }

    /// Stops the workers.
    pub fn stop(&self, workers: &[JoinHandle<()>]) {
        self.stopping.store(true, Ordering::Relaxed);
        self.posted.fetch_add(1, Ordering::Release);
        workers.iter().for_each(|worker| worker.thread().unpark());
    }
}

/// The main loop of worker `index`.
pub(super) fn work(board: &Board, index: usize, spin: Duration) {
    let mut seen = 0;
    loop {
        wait(spin, || board.posted.load(Ordering::Acquire) != seen);
        seen = board.posted.load(Ordering::Acquire);
        if board.stopping.load(Ordering::Relaxed) {
            return;
        }
        if !board.take(index, seen) {
            continue;
        }
        // SAFETY: `posted` increased, so the job was written; it stays until this worker reports completion
        // of the part that it has taken.
        let Some(job) = (unsafe { (*board.job.get()).clone() }) else {
            continue;
        };
        // SAFETY: the body lives until `Board::run` returns, which waits for this part.
        board.attempt(unsafe { &*job.body }, index);
        if board.pending.fetch_sub(1, Ordering::AcqRel) == 1 {
            job.caller.unpark();
        }
    }
}

/// Returns when `done`; spins for `spin`, then sleeps until another thread unparks this one.
fn wait(spin: Duration, done: impl Fn() -> bool) {
    if done() {
        return;
    }
    let start = Instant::now();
    while start.elapsed() < spin {
        for _ in 0..16 {
            if done() {
                return;
            }
            std::hint::spin_loop();
        }
    }
    while !done() {
        std::thread::park();
    }
}
