//! What runtimes choose as they quantize the inputs and states of a recurrence. A run with random rounding
//! chooses at random; any other run as the interpretation says.

use ndarray::Array2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::frame::Call;

/// The error of a quotient of a float by its scale, relative to the range of the floats.
const OF_RANGE: f32 = 1.0 / (1 << 22) as f32;

/// The choices of a run.
pub(super) struct Choices {
    generator: Option<ChaCha8Rng>,
}

impl Choices {
    pub(super) fn of(call: &Call<'_>) -> Choices {
        Choices {
            generator: call.rounding_seed().map(ChaCha8Rng::seed_from_u64),
        }
    }

    /// The part of the last states of sequences that have ended which is quantized with the others.
    pub(super) fn share(&mut self) -> f64 {
        self.generator.as_mut().map_or(1.0, RngExt::random)
    }

    /// The number of sequences of a batch whose states have a scale in common: all, or those of one thread
    /// (ONNX Runtime).
    pub(super) fn sequences(&mut self, batch: usize) -> usize {
        let all = batch.max(1);
        let generator = self.generator.as_mut().filter(|_| all > 1);
        generator.map_or(all, |generator| match generator.random_range(0..4) {
            0 | 1 => all,
            2 => 1,
            _ => generator.random_range(1..=all),
        })
    }

    /// The elements with the errors of their quotients, which decide ties.
    pub(super) fn with_errors(&mut self, mut x: Array2<f32>) -> Array2<f32> {
        if let Some(generator) = &mut self.generator {
            let greatest = x.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
            let most = greatest * OF_RANGE;
            x.mapv_inplace(|x| {
                if x == 0.0 {
                    x
                } else {
                    x + most * generator.random_range(-1.0..=1.0)
                }
            });
        }
        x
    }
}
