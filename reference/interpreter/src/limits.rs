//! What a run may spend, and how it evaluates.

use std::cell::Cell;

use onnx_operators::frame::OpError;
use onnx_tensor::DType;

use crate::noise::Noise;

/// What a run may spend, and how it evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of one value. Default 2 GiB.
    pub value_bytes: usize,
    /// Steps of all loops together. Default 10 million.
    pub loop_steps: u64,
    /// Depth of function calls. Default 64.
    pub function_depth: usize,
    /// First seed for random operators without `seed`. Default 0: runs repeat.
    pub seed: u64,
    /// Whether operators that ONNX defines by a static function body are evaluated by that body. Default no.
    pub function_bodies: bool,
    /// The seed of random rounding (Monte-Carlo arithmetic): floats that operators read and give are moved by a unit in their
    /// last place. Default none.
    pub noise: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            value_bytes: 2 << 30,
            loop_steps: 10_000_000,
            function_depth: 64,
            seed: 0,
            function_bodies: false,
            noise: None,
        }
    }
}

/// Limits with what has been spent.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) limits: Limits,
    /// Whether the radius of every value is computed beside it.
    pub(crate) bounded: bool,
    pub(crate) noise: Option<Noise>,
    steps: Cell<u64>,
    seeds: Cell<u64>,
}

impl Budget {
    pub(crate) fn new(limits: Limits, bounded: bool) -> Self {
        Budget {
            limits,
            bounded,
            noise: limits.noise.map(Noise::new),
            steps: Cell::new(0),
            seeds: Cell::new(limits.seed),
        }
    }

    pub(crate) fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError> {
        let elements = shape
            .iter()
            .try_fold(dtype.memory(), |bytes, &extent| bytes.checked_mul(extent));
        // An extent of zero makes the value empty, however large the others are.
        let fits = shape.contains(&0) || elements.is_some_and(|bytes| bytes <= self.limits.value_bytes);
        if fits {
            Ok(())
        } else {
            Err(OpError::TooLarge {
                shape: shape.to_vec(),
                dtype,
                budget: self.limits.value_bytes,
            })
        }
    }

    pub(crate) fn step(&self) -> Result<(), OpError> {
        let taken = self.steps.get() + 1;
        self.steps.set(taken);
        if taken > self.limits.loop_steps {
            return Err(OpError::TooManySteps {
                budget: self.limits.loop_steps,
            });
        }
        Ok(())
    }

    pub(crate) fn draw_seed(&self) -> u64 {
        let seed = self.seeds.get();
        self.seeds.set(seed.wrapping_add(1));
        seed
    }
}
