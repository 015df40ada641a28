//! The decision whether a backend became slower.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One model on a new and on an old backend, or on a backend and in a saved run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatencyGate {
    /// The model's name.
    pub model: String,
    /// The new backend's display name.
    pub backend: String,
    /// The old backend's display name, or the folder of the saved run.
    pub against: String,
    /// Threads that both may use.
    pub threads: u32,
    /// What was decided.
    pub verdict: LatencyVerdict,
    /// How much longer the new one takes; none where too few pairs were measured.
    pub ratio: Option<RatioInterval>,
    /// The standard deviation of one log-ratio, estimated from its quartiles; none where there are too few.
    pub spread: Option<f64>,
    /// Pairs of rounds that were compared; of a saved run, rounds of the new backend.
    pub pairs: u64,
    /// The probability of `slower` where both are equally fast, for this model.
    pub alpha: f64,
    /// The probability not to call a slowdown by `margin` `not slower`.
    pub power: f64,
    /// The slowdown that matters, as a part of the old latency.
    pub margin: f64,
    /// Why nothing could be decided; empty where something was.
    pub reason: String,
}

/// A ratio of times, new to old, with bounds that hold with the stated probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// The estimate.
    pub estimate: f64,
    /// The new one takes at least so much of the old one's time, with confidence 1 − alpha.
    pub low: f64,
    /// At most so much, with the confidence `power`.
    pub high: f64,
}

/// What is decided of a latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyVerdict {
    /// The new one takes longer.
    Slower,
    /// The new one is not slower by the margin.
    NotSlower,
    /// The measurements do not suffice to say.
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
