//! The times of a profiled run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use backend_api::{Profile, Recorder, StepOutput, Stopwatch};

/// Switches a recording off, also after a panic.
struct Off<'r>(&'r AtomicBool);

impl Drop for Off<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Records the times of steps while it is on. Plans and bodies of one model share it.
#[derive(Debug)]
pub struct Recording {
    is_on: AtomicBool,
    recorder: Mutex<Recorder>,
    clock: Stopwatch,
}

impl Default for Recording {
    fn default() -> Self {
        Recording {
            is_on: AtomicBool::new(false),
            recorder: Mutex::default(),
            clock: Stopwatch::start(),
        }
    }
}

impl Recording {
    /// Returns the time if it is on.
    pub fn start(&self) -> Option<Instant> {
        self.is_on.load(Ordering::Relaxed).then(Instant::now)
    }

    /// Adds a call of a step that started at `start`.
    pub fn add(
        &self,
        start: Option<Instant>,
        name: &str,
        operator: &str,
        outputs: impl FnOnce() -> Vec<StepOutput>,
    ) {
        if let Some(start) = start {
            let span = (self.clock.at(start), self.clock.now());
            self.with(|recorder| recorder.add(name, operator, span, outputs));
        }
    }

    /// Adds a node that no step runs, if it is on: its result is its input with another shape.
    pub fn add_view(&self, name: &str, operator: &str, outputs: impl FnOnce() -> Vec<StepOutput>) {
        if self.is_on.load(Ordering::Relaxed) {
            let now = self.clock.now();
            self.with(|recorder| recorder.add(name, operator, (now, now), outputs));
        }
    }

    /// Records `runs` calls of `run`. The first error ends it.
    pub fn of<E>(&self, runs: u32, mut run: impl FnMut() -> Result<(), E>) -> Result<Profile, E> {
        self.with(std::mem::take);
        self.is_on.store(true, Ordering::Relaxed);
        let _off = Off(&self.is_on);
        for _ in 0..runs {
            self.with(|recorder| recorder.begin(self.clock.now()));
            run()?;
            self.with(|recorder| recorder.end(self.clock.now()));
        }
        Ok(self.with(std::mem::take).finish())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Recorder) -> T) -> T {
        // A panic in a kernel leaves the recorder whole: it is locked only after a step.
        work(&mut self.recorder.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
