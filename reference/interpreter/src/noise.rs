//! Random rounding: measures how a model amplifies rounding errors of an implementation.
//!
//! Monte Carlo arithmetic (D. Stott Parker, *Monte Carlo Arithmetic*, 1997) at the level of operators:
//! every float that an operator reads or returns is perturbed at random by up to one ULP, as another order
//! of its sums might do. Runs with several seeds show how many digits of an output are significant: an
//! error of a backend is normal if it is of the size of their spread.

use std::cell::RefCell;

use onnx_tensor::{Float, Tensor, TensorError, Value, dispatch};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// A source of random rounding.
#[derive(Debug)]
pub(crate) struct Noise {
    generator: RefCell<ChaCha8Rng>,
}

impl Noise {
    /// The same seed results in the same noise.
    pub(crate) fn new(seed: u64) -> Noise {
        Noise {
            generator: RefCell::new(ChaCha8Rng::seed_from_u64(seed)),
        }
    }

    /// `value` with its floats rounded at random. A value that is not a float tensor is unchanged.
    pub(crate) fn perturb(&self, value: Value) -> Value {
        match &value {
            Value::Tensor(tensor) => self.tensor(tensor).map_or(value, Value::Tensor),
            _ => value,
        }
    }

    fn tensor(&self, tensor: &Tensor) -> Option<Tensor> {
        let perturbed: Result<Tensor, TensorError> =
            (|| dispatch!(float, tensor.dtype(), T => Ok(Tensor::from(self.floats(tensor.array::<T>()?)))))();
        perturbed.ok()
    }

    fn floats<T: Float>(&self, array: &onnx_tensor::Array<T>) -> onnx_tensor::Array<T> {
        // The relative distance of adjacent floats just above a power of two. It changes every number by at
        // most two ULP.
        let unit = 2_f64.powi(1 - T::PRECISION as i32);
        let mut generator = self.generator.borrow_mut();
        let perturbed = array.mapv(|value| {
            // In steps of 2⁻³¹, which need only 32 random bits.
            let share = f64::from(generator.random::<i32>()) / f64::from(1_u32 << 31);
            T::from_f64(value.to_f64() * (1.0 + unit * share))
        });
        perturbed.into_shared()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_floats_change_and_by_their_last_place() {
        let ones = vec![1.0_f32; 1000];
        let perturb = |seed| match Noise::new(seed).perturb(Value::Tensor(Tensor::vector(ones.clone()))) {
            Value::Tensor(tensor) => tensor.to_vec::<f32>().expect("floats"),
            _ => panic!("no tensor"),
        };
        let first = perturb(1);
        assert!(first.iter().all(|x| (x - 1.0).abs() <= f32::EPSILON));
        assert!(first.iter().any(|x| *x > 1.0) && first.iter().any(|x| *x < 1.0));
        assert_eq!(first, perturb(1));
        assert_ne!(first, perturb(2));
        for kept in [
            Tensor::vector(vec![i64::MAX]),
            Tensor::vector(vec![f32::INFINITY, 0.0]),
        ] {
            let after = Noise::new(1).perturb(Value::Tensor(kept.clone()));
            assert!(after.as_tensor().is_some_and(|after| after.same_bits(&kept)));
        }
    }
}
