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
/// The job is written before `posted` increases (release) and read after a worker sees the increase
/// (acquire). It is not written again before `pending` is zero. That orders every access to the cell.
#[derive(Default)]
pub(super) struct Board {
    job: UnsafeCell<Option<Job>>,
    posted: AtomicU64,
    pending: AtomicUsize,
    stopping: AtomicBool,
    panic: Mutex<Option<Panic>>,
}

// SAFETY: access to the cell is ordered as the comment of the type states; the body behind the pointer is
// `Sync`, and lives until `run` returns, which is after the last worker has left it.
unsafe impl Send for Board {}
// SAFETY: as above.
unsafe impl Sync for Board {}

impl Board {
    /// Runs `body` on every worker and, as number 0, on this thread. Only one call at a time (the pool's
    /// lock).
    pub fn run(&self, workers: &[JoinHandle<()>], spin: Duration, body: &(dyn Fn(usize) + Sync)) {
        // SAFETY: this only extends the lifetime of the pointer: `run` returns after every worker has left
        // the body.
        let body_ptr =
            unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const Body>(body) };
        let job = Job {
            body: body_ptr,
            caller: std::thread::current(),
        };
        // SAFETY: no worker reads the cell now: `pending` is zero since the last job and `posted` has not
        // increased.
        unsafe { *self.job.get() = Some(job) };
        self.pending.store(workers.len(), Ordering::Relaxed);
        self.posted.fetch_add(1, Ordering::Release);
        workers.iter().for_each(|worker| worker.thread().unpark());
        let own = catch_unwind(AssertUnwindSafe(|| body(0)));
        wait(spin, || self.pending.load(Ordering::Acquire) == 0);
        let others = self
            .panic
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .take();
        if let Some(panic) = own.err().or(others) {
            resume_unwind(panic);
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
        // SAFETY: `posted` increased, so the job was written; it stays until this worker reports completion
        // below.
        let Some(job) = (unsafe { (*board.job.get()).clone() }) else {
            continue;
        };
        // SAFETY: the body lives until `Board::run` returns, which waits for this worker.
        let body = unsafe { &*job.body };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(index))) {
            *board
                .panic
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(panic);
        }
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
