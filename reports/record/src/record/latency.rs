//! The measured latency of one model on one backend.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RatioInterval;

/// One series of timed runs: a model, a backend, a thread count. All times are nanoseconds,
/// measured in the worker.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyRecord {
    /// The model's name; in a sweep with the extents: `net (batch=8)`.
    pub model: String,
    /// The model's name without extents, the same for all points of a sweep.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub network: String,
    /// The backend's display name.
    pub backend: String,
    /// The runtime's version.
    pub version: String,
    /// The number of threads.
    pub threads: u32,
    /// The source of the weights.
    pub weights: Weights,
    /// Whether the backends took turns (true) or each ran its rounds in one block.
    pub interleaved: bool,
    /// Whether the backend's idle threads spin, which slows the backend that runs next.
    pub spinning: bool,
    /// Rounds over which the samples are spread.
    pub rounds: u32,
    /// The number of timed runs; without any the times are meaningless and `reason` states why.
    pub samples: u64,
    /// Shortest run.
    pub min_ns: u64,
    /// Median run.
    pub median_ns: u64,
    /// 90th percentile; `None` if the samples are too few; the same for `p99_ns`.
    pub p90_ns: Option<u64>,
    /// 99th percentile.
    pub p99_ns: Option<u64>,
    /// Arithmetic mean.
    pub mean_ns: u64,
    /// The time of the load; 0 if the model was not loaded.
    pub load_ns: u64,
    /// The first run after the load; 0 if there was none.
    pub first_ns: u64,
    /// The peak resident memory of the worker's process, including load and runs, in bytes; `None` if
    /// the system does not report it.
    #[serde(default)]
    pub peak_bytes: Option<u64>,
    /// Whether the outputs of the timed runs are right. Otherwise the latency is not valid.
    pub outputs_ok: bool,
    /// Why there are no samples or the outputs are wrong, in one line; empty if there is no fault.
    pub reason: String,
    /// The evidence that the backend takes outputs from a cache; empty if it computes them. If there is
    /// any, the latency is not valid.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caching: String,
    /// The source of the expected outputs.
    #[serde(default)]
    pub checked_by: CheckedBy,
    /// The median of each round; each round has a process of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub round_ns: Vec<u64>,
    /// The median time of runs that repeat one input; `None` if it was not measured; the same for
    /// `fresh_ns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated_ns: Option<u64>,
    /// The median time of runs with inputs that are new to the backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh_ns: Option<u64>,
    /// The number of samples that one run computes: the extent of the first axis of inputs and outputs.
    /// `None` if the model declares no such axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// The ratio to the fastest backend with the same model and thread count, over the rounds of both, with
    /// bounds that each hold with a probability of 97.5 %. `None` for the fastest, for an invalid latency,
    /// for too few rounds, and if backends took no turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<RatioInterval>,
    /// Extents of symbolic dimensions, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dims: BTreeMap<String, u64>,
    /// The source of the model, for repeated measurements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ModelSource>,
}

/// The source of the expected outputs of timed runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckedBy {
    /// The outputs of the reference, or the stored outputs of the case.
    #[default]
    Reference,
    /// The outputs of the first run of the same backend on the same input: the reference did not answer
    /// in time.
    FirstRun,
}

/// A model file and the origin of its inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// The seed of generated inputs.
    pub seed: u64,
}

/// The source of a timed model's weights.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// Those of the user's model.
    #[default]
    Own,
    /// Those of an official light model: filled with a constant.
    Constant,
    /// Seeded random values with a scale that keeps activations in range.
    Random,
}

impl Weights {
    /// The stable key in files.
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
    /// The samples per second, if the latency is valid and the batch is known.
    pub fn samples_per_second(&self) -> Option<f64> {
        let seconds = self.valid_median_ns()? as f64 / 1e9;
        (seconds > 0.0).then_some(self.batch? as f64 / seconds)
    }

    /// The median, if the latency is valid: there are samples, the outputs are right, and they were
    /// computed.
    pub fn valid_median_ns(&self) -> Option<u64> {
        (self.outputs_ok && self.samples > 0 && self.caching.is_empty()).then_some(self.median_ns)
    }
}
