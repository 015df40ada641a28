//! The plan of a bench.

use std::time::Duration;

use harness_conformance::run::MissingBackend;
use harness_worker::WorkerSpec;
use run_record::RunStarted;

use super::gate::{Design, SavedRun};
use super::subject::ToMeasure;

/// The plan of a bench.
#[derive(Debug)]
pub struct Plan {
    /// The models.
    pub models: Vec<ToMeasure>,
    pub backends: Vec<WorkerSpec>,
    /// Requested backends that have no worker.
    pub missing: Vec<MissingBackend>,
    /// The worker of the reference, which computes expected outputs.
    pub reference: WorkerSpec,
    /// The time limit of the reference for all inputs of a user's model.
    pub reference_budget: Duration,
    /// Thread counts; each backend has a series for each.
    pub threads: Vec<u32>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The parameters of each series.
    pub options: RunOptions,
    /// The kind of bench.
    pub task: Task,
    /// The first event of the log.
    pub started: RunStarted,
}

/// The kind of bench.
#[derive(Debug)]
pub enum Task {
    /// Measures the latency of the backends.
    Measure,
    /// Compares the backends with a baseline.
    Gate {
        /// The baseline.
        old: Baseline,
        /// The error rates and limits.
        design: Design,
    },
    /// Measures the noise: each backend is compared with itself.
    Noise(Design),
}

/// The baseline of a gate.
#[derive(Debug)]
pub enum Baseline {
    /// Another backend, measured in pairs with the new one.
    Worker(Box<WorkerSpec>),
    /// A saved run on this machine.
    Saved(Box<SavedRun>),
}

/// The parameters of each series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunOptions {
    /// Turns of each backend, each in a process of its own. A gate runs as many as it needs.
    pub rounds: u32,
    /// Timed runs per turn.
    pub samples: u32,
    /// Runs of each request that are not counted, after the warm-up.
    pub warmup: u32,
    /// Whether backends take turns; otherwise each has all its turns in one block.
    pub interleaved: bool,
    /// Whether idle threads may spin.
    pub spinning: bool,
    /// The time limit of one load, run or turn.
    pub timeout: Duration,
}
