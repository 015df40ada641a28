//! Work that is divided among threads.
//!
//! Only parts that share no sum are divided, so that no result depends on the number of threads.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::Mutex;

thread_local! {
    static THREADS: Cell<NonZeroUsize> = const { Cell::new(NonZeroUsize::MIN) };
}

/// The number of threads that a loop started from this thread may use. It is 1 unless [`with`] sets it.
pub fn available() -> usize {
    THREADS.get().get()
}

/// Calls `f`, whose loops may use `threads` threads.
pub fn with<R>(threads: NonZeroUsize, f: impl FnOnce() -> R) -> R {
    struct Restore(NonZeroUsize);
    impl Drop for Restore {
        fn drop(&mut self) {
            THREADS.set(self.0);
        }
    }
    let _restore = Restore(THREADS.replace(threads));
    f()
}

/// Operations below which another thread costs more than it saves: it takes about 30 µs to start one.
const WORTH: usize = 1 << 20;

/// The number of parts into which a loop of this many operations is to be divided.
pub fn parts(operations: usize) -> usize {
    available().min(operations / WORTH).max(1)
}

/// Calls `f` on every job, on up to `threads` threads. Each thread has a state of its own, made by `state`.
pub fn for_each<J: Send, S>(
    jobs: impl ExactSizeIterator<Item = J> + Send,
    threads: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, J) + Sync,
) {
    let threads = threads.min(jobs.len());
    if threads <= 1 {
        let mut state = state();
        return jobs.for_each(|job| f(&mut state, job));
    }
    let jobs = Mutex::new(jobs);
    let next = || jobs.lock().ok().and_then(|mut jobs| jobs.next());
    let work = || {
        let mut state = state();
        while let Some(job) = next() {
            f(&mut state, job);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_runs_once_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let mut done = vec![0; 100];
            for_each(done.iter_mut(), threads, || (), |(), count| *count += 1);
            assert_eq!(done, vec![1; 100], "{threads} threads");
        }
    }

    #[test]
    fn the_number_of_threads_holds_inside_of_with() {
        let inside = with(NonZeroUsize::MIN.saturating_add(3), || {
            (available(), parts(usize::MAX), parts(1))
        });
        assert_eq!((inside, available()), ((4, 4, 1), 1));
    }
}
