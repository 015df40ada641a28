//! The measured latency of one model on one backend.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One series of timed runs: a model, a backend, a thread count. All times are nanoseconds, measured in the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyRecord {
    /// The model's name.
    pub model: String,
    /// The backend's display name.
    pub backend: String,
    /// The runtime's version.
    pub version: String,
    /// Threads the backend was allowed.
    pub threads: u32,
    /// Where the weights come from.
    pub weights: Weights,
    /// Whether the backends took turns (true) or each ran its rounds in one block.
    pub interleaved: bool,
    /// Whether the backend's idle threads spin, which slows whoever runs next.
    pub spinning: bool,
    /// Rounds over which the samples are spread.
    pub rounds: u32,
    /// Timed runs; with none the times of the runs mean nothing and `reason` says why.
    pub samples: u64,
    /// Shortest run.
    pub min_ns: u64,
    /// Median run.
    pub median_ns: u64,
    /// 90th percentile; none where the samples are too few to tell, as for the next.
    pub p90_ns: Option<u64>,
    /// 99th percentile.
    pub p99_ns: Option<u64>,
    /// Arithmetic mean.
    pub mean_ns: u64,
    /// Loading the model; 0 where it never loaded.
    pub load_ns: u64,
    /// The first run after loading; 0 where there was none.
    pub first_ns: u64,
    /// The most memory that the worker's process had resident, from its start through load and runs, in bytes; none where
    /// the system does not tell.
    #[serde(default)]
    pub peak_bytes: Option<u64>,
    /// Whether the outputs of the very runs that were timed are right. A latency without it counts for nothing.
    pub outputs_ok: bool,
    /// Why there are no samples or the outputs are wrong, in one line; empty where all is well.
    pub reason: String,
}

/// Where a timed model's weights come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// As the model file has them: the official light models fill them with a constant.
    Constant,
    /// Seeded random values of a scale that keeps activations in range.
    Random,
}

impl Weights {
    /// The stable key, as files spell it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Random => "random",
        }
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl LatencyRecord {
    /// The median, where it may be compared with another: there are samples, and the outputs were right.
    pub fn valid_median_ns(&self) -> Option<u64> {
        (self.outputs_ok && self.samples > 0).then_some(self.median_ns)
    }
}
