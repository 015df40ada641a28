//! An output of a complete model compared with the noise of rounding, and differences at the level of
//! the task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::float::Float;

/// One output of a complete model on one backend, compared with the model's own noise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// The noise of rounding in the output: the same for every backend.
    pub floor: NoiseFloor,
    /// The distance of the backend from the reference, in multiples of the noise.
    pub deviation: Deviation,
    /// If the output has the form of scores of classes: whether the same classes are chosen.
    pub scores: Option<Scores>,
    /// If it has the form of boxes: their overlap with the reference's.
    pub boxes: Option<Overlap>,
    /// If it has the form of masks: their overlap with the reference's.
    pub masks: Option<Overlap>,
    /// The line fitted from the reference's elements to the backend's; `None` if they are all equal.
    pub fit: Option<Fit>,
}

/// The noise of rounding in an output. The noise of an element, σ, is the root mean square of the
/// distances of several runs of the reference with random rounding from its result without.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseFloor {
    /// The number of runs.
    pub runs: u32,
    /// The number of elements that are finite in all runs; others are ignored.
    pub elements: u64,
    /// The number of significant decimal digits, −log₁₀(σ/|µ|), the median over the elements.
    #[serde(with = "Float")]
    pub digits: f64,
    /// The minimum of the same over the elements.
    #[serde(with = "Float")]
    pub least_digits: f64,
    /// The possible loss of digits at 95 % confidence, because σ is estimated from a few runs.
    #[serde(with = "Float")]
    pub margin: f64,
    /// The noise of an element in the unit of the output, the median over the elements.
    #[serde(with = "Float")]
    pub sigma: f64,
    /// The maximum noise of an element.
    #[serde(with = "Float")]
    pub largest_sigma: f64,
    /// The distance in multiples of the noise within which all elements of a backend with the same noise
    /// are, except in one of 10,000 outputs.
    #[serde(with = "Float")]
    pub reach: f64,
}

/// The distance of a backend's elements from the reference's, in multiples of each element's noise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deviation {
    /// The median over the elements.
    #[serde(with = "Float")]
    pub median: f64,
    /// The maximum.
    #[serde(with = "Float")]
    pub max: f64,
    /// The index of the element with the maximum.
    pub at: Vec<u64>,
    /// The number of elements beyond [`NoiseFloor::reach`].
    pub beyond: u64,
    /// The number of decimal digits that an element shares with the reference's, −log₁₀(|observed −
    /// µ|/|µ|), the median over the elements. At most the precision of the type.
    #[serde(default = "unknown", with = "Float")]
    pub digits: f64,
    /// The cosine of the angle between the backend's elements and the reference's, as vectors.
    #[serde(default = "unknown", with = "Float")]
    pub cosine: f64,
}

/// The value for logs of earlier versions.
fn unknown() -> f64 {
    f64::NAN
}

/// Whether a backend chooses the same classes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// Rows of scores.
    pub rows: u64,
    /// Classes in a row.
    pub classes: u64,
    /// Rows with the same best class.
    pub top1: u64,
    /// Rows with the same five best classes, in any order; `None` if there are at most five.
    pub top5: Option<u64>,
    /// Rows with another best class, where the reference's margin between the two is within the noise.
    pub flips_within: u64,
    /// Rows with another best class, where it is beyond the noise.
    pub flips_beyond: u64,
    /// The reference's smallest margin between its best class and the next, in multiples of the noise of
    /// that difference.
    #[serde(with = "Float")]
    pub margin: f64,
}

/// The overlap of regions with those of the reference: intersection over union.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overlap {
    /// The recognised form of the elements: `corners`, `center and size`, `above 0.5`.
    pub form: String,
    /// Regions compared.
    pub regions: u64,
    /// The mean over them.
    #[serde(with = "Float")]
    pub mean: f64,
    /// The minimum.
    #[serde(with = "Float")]
    pub least: f64,
}

/// A line fitted by least squares: backend ≈ slope · reference + intercept. A fault of scale changes the
/// slope by more than the significant digits of the output; noise does not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fit {
    /// The slope.
    #[serde(with = "Float")]
    pub slope: f64,
    /// The standard error of the slope.
    #[serde(with = "Float")]
    pub slope_error: f64,
    /// The intercept, in the unit of the output.
    #[serde(with = "Float")]
    pub intercept: f64,
    /// The fraction of the backend's variance that the line explains.
    #[serde(with = "Float")]
    pub r_squared: f64,
}

impl Fit {
    /// Whether the slope differs from 1 by more than the significant digits of the output allow.
    pub fn is_scaled(&self, floor: &NoiseFloor) -> bool {
        (self.slope - 1.0).abs() > 10_f64.powf(floor.margin - floor.digits)
    }
}

impl Scores {
    /// Rows with another best class.
    pub fn flips(&self) -> u64 {
        self.flips_within + self.flips_beyond
    }
}
