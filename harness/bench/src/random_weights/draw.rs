//! Random values for a parameter.

use onnx_tensor::{Tensor, TensorError};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::parameters::{Parameter, Role};

/// The standard deviation of biases, and of scales around 1: large enough to make channels differ, small
/// enough to keep them in range.
const SPREAD: f32 = 0.1;
/// The maximum number of elements of a parameter; a larger one does not fit into a file.
const MAX_ELEMENTS: usize = 1 << 29;

/// Values for `parameter`. Means and variances are those of a standard normal input until calibration.
pub(super) fn draw(parameter: &Parameter, rng: &mut impl Rng) -> Result<Tensor, TensorError> {
    let (mean, deviation) = match parameter.role {
        Role::Kernel { fan_in } => (0.0, (2.0 / fan_in as f64).sqrt() as f32),
        Role::Bias => (0.0, SPREAD),
        Role::Scale => (1.0, SPREAD),
        Role::Mean => (0.0, 0.0),
        Role::Variance => (1.0, 0.0),
    };
    // The shape of a fill comes from a file: a few bytes can request any amount of memory.
    let count = parameter
        .shape
        .iter()
        .try_fold(1_usize, |count, &extent| count.checked_mul(extent));
    let count = count
        .filter(|&count| count <= MAX_ELEMENTS)
        .ok_or_else(|| TensorError::TooLarge {
            shape: parameter.shape.clone(),
        })?;
    let value = |noise: f32| mean + deviation * noise;
    Tensor::new(
        &parameter.shape,
        (0..count).map(|_| value(rng.sample(StandardNormal))).collect(),
    )
}
