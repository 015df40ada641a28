//! The decision whether a backend became slower.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A comparison of a new backend with an old one, or with a saved run, on one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyGate {
    /// The model's name.
    pub model: String,
    /// The new backend's display name.
    pub backend: String,
    /// The old backend's display name, or the folder of the saved run.
    pub against: String,
    /// The number of threads of both.
    pub threads: u32,
    /// The decision.
    pub verdict: LatencyVerdict,
    /// The ratio of the times; `None` if too few pairs were measured.
    pub ratio: Option<RatioInterval>,
    /// The standard deviation of one log-ratio, computed from its quartiles; `None` for too few pairs.
    pub spread: Option<f64>,
    /// The number of compared pairs of rounds; for a saved run, of rounds of the new backend.
    pub pairs: u64,
    /// The probability of the verdict `slower` for equal backends, for this model.
    pub alpha: f64,
    /// 1 − the probability of the verdict `not slower` for a slowdown by `margin`.
    pub power: f64,
    /// The slowdown that matters, as a fraction of the old latency.
    pub margin: f64,
    /// Why there is no decision; empty if there is one.
    pub reason: String,
}

/// A ratio of times, with confidence bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatioInterval {
    /// The estimate.
    pub estimate: f64,
    /// The lower bound; in a [`LatencyGate`] with confidence 1 − alpha.
    pub low: f64,
    /// The upper bound; in a [`LatencyGate`] with confidence `power`.
    pub high: f64,
}

/// The decision on a latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatencyVerdict {
    /// The new backend is slower.
    Slower,
    /// The new backend is not slower by the margin.
    NotSlower,
    /// The measurements are not enough for a decision.
    Inconclusive,
}

impl fmt::Display for LatencyVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slower => "slower",
            Self::NotSlower => "not slower",
            Self::Inconclusive => "inconclusive",
        })
    }
}
