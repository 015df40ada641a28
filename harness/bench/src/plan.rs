//! What to measure, and how.

use std::time::Duration;

use harness_conformance::run::Missing;
use harness_worker::WorkerSpec;
use reports::record::RunStarted;

use super::gate::{Design, SavedRun};
use super::subject::ToMeasure;

/// What to measure, and how.
#[derive(Debug)]
pub struct Plan {
    /// The models.
    pub models: Vec<ToMeasure>,
    /// The backends.
    pub backends: Vec<WorkerSpec>,
    /// Backends that are asked for and have no worker.
    pub missing: Vec<Missing>,
    /// The worker of the reference, which says what outputs are right.
    pub reference: WorkerSpec,
    /// How long the reference may take for all inputs of a person's own model.
    pub reference_budget: Duration,
    /// How many threads a backend may use; a series for each.
    pub threads: Vec<u32>,
    /// Where all random numbers come from.
    pub seed: u64,
    /// How each series is run.
    pub conduct: RunOptions,
    /// What is asked of the latencies.
    pub task: Task,
    /// What is written at the head of the log.
    pub started: RunStarted,
}

/// What is asked of latencies.
#[derive(Debug)]
pub enum Task {
    /// How fast the backends are.
    Measure,
    /// Whether the backends are slower than something old.
    Gate {
        /// What they are compared with.
        old: Old,
        /// When it is decided.
        design: Design,
    },
    /// How much two measurements of the same backend differ: each backend beside itself.
    Noise(Design),
}

/// What backends are compared with.
#[derive(Debug)]
pub enum Old {
    /// Another backend, measured in turns with the new one.
    Worker(Box<WorkerSpec>),
    /// A run on this machine that was saved.
    Saved(Box<SavedRun>),
}

/// How each series is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunOptions {
    /// Turns of each backend, each in a process of its own. A gate has as many as it needs.
    pub rounds: u32,
    /// Timed runs in a turn.
    pub samples: u32,
    /// Runs of each request that are not counted, after the warm-up.
    pub warmup: u32,
    /// Whether backends take turns; else each has all its turns in one block.
    pub interleaved: bool,
    /// Whether idle threads may spin.
    pub spinning: bool,
    /// How long one load, run or turn may take.
    pub timeout: Duration,
}
