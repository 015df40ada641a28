//! Converts numbers to tensors and back, and draws operands.

use onnx_tensor::{DType, Real, Tensor, TensorError, dispatch};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::accumulation::subject::{Subject, Terms};

/// The tensor of these numbers, each rounded to the type.
pub fn tensor(dtype: DType, shape: &[usize], numbers: &[f64]) -> Result<Tensor, TensorError> {
    dispatch!(real, dtype, T => Tensor::new::<T>(shape, numbers.iter().map(|x| <T as Real>::from_f64(*x)).collect()))
}

/// The numbers of a tensor.
pub fn numbers(tensor: &Tensor) -> Result<Vec<f64>, TensorError> {
    dispatch!(real, tensor.dtype(), T => Ok(tensor.array::<T>()?.iter().map(|x| Real::to_f64(*x)).collect()))
}

/// An independent stream of random numbers for a population.
pub fn stream(subject: &Subject, seed: u64) -> ChaCha8Rng {
    // FNV-1a of the name: the same on every machine.
    let name = subject.to_string();
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    ChaCha8Rng::seed_from_u64(hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// One factor.
pub fn draw(terms: Terms, rng: &mut ChaCha8Rng) -> f64 {
    match terms {
        Terms::Signed => rng.random_range(-1.0..1.0),
        Terms::Positive => rng.random_range(0.0..1.0),
        Terms::Wide => (-rng.random_range(0.0..6.0_f64)).exp2(),
    }
}
