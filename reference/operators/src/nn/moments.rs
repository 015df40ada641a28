//! Mean and variance of a set of elements, and the stages of the normalisations.

use onnx_arithmetic::moments as estimate;
use onnx_tensor::element::CompensatedSum;
use onnx_tensor::{Accumulator, DType, Real, bf16, f16};

use crate::frame::OpError;
use crate::shared::reals;

/// The mean and the population variance (the mean squared distance from it); NaN for an empty set.
///
/// Both sums use double-double; the mean is rounded to f64 in between.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moments {
    pub mean: f64,
    /// The population variance.
    pub variance: f64,
}

impl Moments {
    /// The moments of `elements`.
    pub fn of(elements: impl Iterator<Item = f64> + Clone) -> Moments {
        let mean = mean(elements.clone());
        Moments {
            mean,
            variance: mean_square(elements.map(|x| x - mean)),
        }
    }

    /// 1 / sqrt(variance + epsilon).
    pub fn inverse_deviation(&self, epsilon: f64) -> f64 {
        (self.variance + epsilon).sqrt().recip()
    }
}

fn mean(elements: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (CompensatedSum::default(), 0_usize);
    for x in elements {
        sum.add(x);
        count += 1;
    }
    sum.to_f64() / count as f64
}

/// The mean of the squares of `elements`.
pub fn mean_square(elements: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (CompensatedSum::default(), 0_usize);
    for x in elements {
        sum.add_product(x, x);
        count += 1;
    }
    sum.to_f64() / count as f64
}

/// The first of the two stages of LayerNormalization, GroupNormalization and RMSNormalization, in the
/// precision of `stash_type`: elements are cast to that type, the arithmetic is f64, and the normalised
/// element is cast to that type and back to the type of the input, as the text says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The type of `stash_type`.
    pub stash: DType,
    /// The type of the input.
    pub input: DType,
}

impl Stage {
    /// The stage of an operator with the attribute `stash_type`.
    pub fn new(stash_type: i64, input: DType) -> Result<Stage, OpError> {
        let stash = reals::float_type("stash_type", stash_type)?;
        Ok(Stage { stash, input })
    }

    /// Casts an element of the input to the precision of the stage.
    pub fn enter(&self, x: f64) -> Result<f64, OpError> {
        reals::round(x, self.stash)
    }

    /// Casts a normalised element to the precision of the stage and back to the type of the input.
    pub fn leave(&self, x: f64) -> Result<f64, OpError> {
        reals::round(reals::round(x, self.stash)?, self.input)
    }
}

/// The last step of a normalisation without a cast in between.
pub trait Affine: Real {
    /// Writes (x − mean) · factor + bias, evaluated in f64 and rounded once.
    fn shift_and_scale(x: &[Self], [mean, factor, bias]: [f64; 3], y: &mut [Self]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = Self::from_f64((x.to_f64() - mean) * factor + bias);
        }
    }

    /// The same for a row, with its own mean, `scale` / √(variance + `epsilon`) for the factor, and the
    /// statistics in double-double.
    fn normalise(x: &[Self], epsilon: f64, scale: f64, bias: f64, y: &mut [Self]) {
        let moments = Moments::of(x.iter().map(|x| x.to_f64()));
        let factor = scale * moments.inverse_deviation(epsilon);
        Self::shift_and_scale(x, [moments.mean, factor, bias], y);
    }
}

impl Affine for f16 {}
impl Affine for bf16 {}
impl Affine for f64 {}

impl Affine for f32 {
    fn shift_and_scale(x: &[f32], [mean, factor, bias]: [f64; 3], y: &mut [f32]) {
        estimate::shift_and_scale(x, mean, factor, bias, y);
    }

    fn normalise(x: &[f32], epsilon: f64, scale: f64, bias: f64, y: &mut [f32]) {
        let moments = estimate::Moments::centred(x);
        let factor = moments.inverse_deviation(epsilon).times(scale);
        if !moments.affine(factor, Some(bias), x, y) {
            let moments = Moments::of(x.iter().map(|&x| f64::from(x)));
            let factor = scale * moments.inverse_deviation(epsilon);
            Self::shift_and_scale(x, [moments.mean, factor, bias], y);
        }
    }
}
