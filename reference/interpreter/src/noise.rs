//! Random rounding: what a model makes of rounding errors that are not ours.
//!
//! Monte-Carlo arithmetic (D. Stott Parker, *Monte Carlo Arithmetic*, 1997) at the level of operators: every float that an
//! operator reads or gives is moved by up to one unit in its last place, at random, as another order of its sums might have. Runs with
//! several seeds show how many digits of an output the model itself carries: a backend's deviation is nothing to
//! wonder at while it is of the size of their spread.

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
    /// The same seed gives the same noise.
    pub(crate) fn new(seed: u64) -> Noise {
        Noise {
            generator: RefCell::new(ChaCha8Rng::seed_from_u64(seed)),
        }
    }

    /// `value`, its floats rounded at random; what is no tensor of floats stays as it is.
    pub(crate) fn disturb(&self, value: Value) -> Value {
        match &value {
            Value::Tensor(tensor) => self.tensor(tensor).map_or(value, Value::Tensor),
            _ => value,
        }
    }

    fn tensor(&self, tensor: &Tensor) -> Option<Tensor> {
        let disturbed: Result<Tensor, TensorError> =
            (|| dispatch!(float, tensor.dtype(), T => Ok(Tensor::from(self.floats(tensor.array::<T>()?)))))();
        disturbed.ok()
    }

    fn floats<T: Float>(&self, array: &onnx_tensor::Array<T>) -> onnx_tensor::Array<T> {
        // The distance of neighbours, relative to a number just above a power of two: it moves every number by at most two.
        let unit = 2_f64.powi(1 - T::PRECISION as i32);
        let mut generator = self.generator.borrow_mut();
        let disturbed = array.mapv(|value| {
            // In steps of 2⁻³¹, which half as many random bits give.
            let share = f64::from(generator.random::<i32>()) / f64::from(1_u32 << 31);
            T::from_f64(value.to_f64() * (1.0 + unit * share))
        });
        disturbed.into_shared()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_move_by_their_last_place_and_nothing_else_moves() {
        let ones = vec![1.0_f32; 1000];
        let disturb = |seed| match Noise::new(seed).disturb(Value::Tensor(Tensor::vector(ones.clone()))) {
            Value::Tensor(tensor) => tensor.to_vec::<f32>().expect("floats"),
            _ => panic!("no tensor"),
        };
        let first = disturb(1);
        assert!(first.iter().all(|x| (x - 1.0).abs() <= f32::EPSILON));
        assert!(first.iter().any(|x| *x > 1.0) && first.iter().any(|x| *x < 1.0));
        assert_eq!(first, disturb(1));
        assert_ne!(first, disturb(2));
        for kept in [
            Tensor::vector(vec![i64::MAX]),
            Tensor::vector(vec![f32::INFINITY, 0.0]),
        ] {
            let after = Noise::new(1).disturb(Value::Tensor(kept.clone()));
            assert!(after.as_tensor().is_some_and(|after| after.same_bits(&kept)));
        }
    }
}
