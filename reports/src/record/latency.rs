//! The measured latency of one model on one backend.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// One series of timed runs: a model, a backend, a thread count. All times are nanoseconds, measured in the worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Why the backend is known to take outputs from a cache; empty where it computes them. A latency with it counts for nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caching: String,
    /// With what the outputs were compared.
    #[serde(default)]
    pub checked_by: CheckedBy,
    /// The median of each round, each in a process of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub round_ns: Vec<u64>,
    /// Median time of runs that repeat one input; none where it was not measured, as for the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated_ns: Option<u64>,
    /// Median time of runs with inputs that the backend had never seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh_ns: Option<u64>,
    /// Extents of symbolic dimensions, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dims: BTreeMap<String, u64>,
    /// Where the model comes from, so that it can be measured again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ModelSource>,
}

/// With what the outputs of timed runs were compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckedBy {
    /// With the outputs of the reference, or those that the case stores.
    #[default]
    Reference,
    /// With the outputs of the first run of the same backend on the same input: the reference did not answer in time.
    FirstRun,
}

/// A model file with all that its inputs are made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSource {
    /// The path of the file, or the name of a light model.
    pub path: String,
    /// SHA-256 of the file and of the files that it refers to, hexadecimal; empty for a light model.
    pub sha256: String,
    /// Arguments of `--input`, `--dim` and `--shape`.
    pub inputs: Vec<String>,
    /// See `inputs`.
    pub dims: Vec<String>,
    /// See `inputs`.
    pub shapes: Vec<String>,
    /// The seed of what is drawn.
    pub seed: u64,
}

/// Where a timed model's weights come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// As the file of a person's model has them.
    #[default]
    Own,
    /// As the file of an official light model has them: filled with a constant.
    Constant,
    /// Seeded random values of a scale that keeps activations in range.
    Random,
}

impl Weights {
    /// The stable key, as files spell it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Own => "own",
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
    /// The median, where it may be compared with another: there are samples, the outputs were right, and they were computed.
    pub fn valid_median_ns(&self) -> Option<u64> {
        (self.outputs_ok && self.samples > 0 && self.caching.is_empty()).then_some(self.median_ns)
    }
}
