//! An output of a whole model beside the noise that rounding alone makes in it, and what of it a person would notice.

use serde::{Deserialize, Serialize};

use super::float;

/// One output of a whole model on one backend, held against the model's own noise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// What rounding alone makes of the output: the same for every backend.
    pub floor: NoiseFloor,
    /// How far the backend is from the reference, in multiples of that.
    pub deviation: Deviation,
    /// Where the output looks like scores of classes: whether the choice is the same.
    pub scores: Option<Scores>,
    /// Where it looks like boxes: how well they cover the reference's.
    pub boxes: Option<Overlap>,
    /// Where it looks like masks: how well they cover the reference's.
    pub masks: Option<Overlap>,
    /// The straight line that leads from the reference's elements to the backend's; none where they are all alike.
    pub fit: Option<Fit>,
}

/// How much of an output is rounding: the noise of an element, σ, is the root mean square of the distances of several runs of the
/// reference with random rounding from its answer without.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NoiseFloor {
    /// The runs.
    pub runs: u32,
    /// Elements that are finite in all of them; the others are left out of what follows.
    pub elements: u64,
    /// Decimal digits that an element carries, −log₁₀(σ/|µ|), the median over the elements.
    #[serde(with = "float")]
    pub digits: f64,
    /// The same of the element that carries the fewest.
    #[serde(with = "float")]
    pub least_digits: f64,
    /// So many digits fewer it can be, at 95 % confidence, because σ is known from a few runs only.
    #[serde(with = "float")]
    pub margin: f64,
    /// The noise of an element in the unit of the output, the median over the elements.
    #[serde(with = "float")]
    pub sigma: f64,
    /// The noise of the noisiest element.
    #[serde(with = "float")]
    pub largest_sigma: f64,
    /// In 95 of 100 models, no element of a backend with noise of this very size lies farther out, in multiples of the noise.
    #[serde(with = "float")]
    pub reach: f64,
}

/// How far a backend's elements are from the reference's, in multiples of each element's noise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Deviation {
    /// The median over the elements.
    #[serde(with = "float")]
    pub median: f64,
    /// The largest.
    #[serde(with = "float")]
    pub max: f64,
    /// The index of the element with the largest.
    pub at: Vec<u64>,
    /// Elements farther out than [`NoiseFloor::reach`].
    pub beyond: u64,
    /// Decimal digits that an element shares with the reference's, −log₁₀(|observed − µ|/|µ|), the median over the elements. At
    /// most those that the type has.
    #[serde(default = "unknown", with = "float")]
    pub digits: f64,
    /// The cosine of the angle between the backend's elements and the reference's, both taken as vectors.
    #[serde(default = "unknown", with = "float")]
    pub cosine: f64,
}

/// What a log of an earlier version does not say.
fn unknown() -> f64 {
    f64::NAN
}

/// Whether a backend chooses the same classes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Rows of scores.
    pub rows: u64,
    /// Classes in a row.
    pub classes: u64,
    /// Rows with the same best class.
    pub top1: u64,
    /// Rows with the same five best classes, in any order; none where there are no more than five.
    pub top5: Option<u64>,
    /// Rows with another best class, where the reference's margin between the two is within the noise.
    pub flips_within: u64,
    /// Rows with another best class, where it is not.
    pub flips_beyond: u64,
    /// The reference's smallest margin between its best class and the next, in multiples of the noise of that difference.
    #[serde(with = "float")]
    pub margin: f64,
}

/// How well regions cover those of the reference: the intersection over the union.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overlap {
    /// What the elements were taken for: `corners`, `center and size`, `above 0.5`.
    pub form: String,
    /// Regions compared.
    pub regions: u64,
    /// The mean over them.
    #[serde(with = "float")]
    pub mean: f64,
    /// The least.
    #[serde(with = "float")]
    pub least: f64,
}

/// A line fitted by least squares: backend ≈ slope · reference + intercept. A fault of scale moves the slope by more than the digits
/// that the output carries; noise does not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The slope.
    #[serde(with = "float")]
    pub slope: f64,
    /// The standard error of the slope.
    #[serde(with = "float")]
    pub slope_error: f64,
    /// The intercept, in the unit of the output.
    #[serde(with = "float")]
    pub intercept: f64,
    /// The part of the backend's variance that the line explains.
    #[serde(with = "float")]
    pub r_squared: f64,
}

impl Fit {
    /// Whether the slope is off 1 by more than the digits allow that the output is sure to carry.
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
