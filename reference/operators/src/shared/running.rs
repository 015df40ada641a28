//! Sums of operands that keep the sign of zero.

use onnx_tensor::{Accumulate, Accumulator, Float};

/// A sum of one or more operands. Accumulators start at +0, which would lose a −0: the sum of −0 only is −0
/// (IEEE 754, §6.3).
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "an unfinished sum")]
pub struct Running<T: Float> {
    sum: <T as Accumulate>::Acc,
    negative_zeros: bool,
}

impl<T: Float> Default for Running<T> {
    fn default() -> Self {
        Running {
            sum: Default::default(),
            negative_zeros: true,
        }
    }
}

impl<T: Float> Running<T> {
    /// Adds an element.
    pub fn add(&mut self, x: T) {
        let number = x.to_f64();
        self.negative_zeros &= number == 0.0 && number.is_sign_negative();
        self.sum.add(x);
    }

    /// The unrounded sum as f64.
    pub fn to_f64(&self) -> f64 {
        if self.negative_zeros {
            -0.0
        } else {
            Accumulator::<T>::to_f64(self.sum)
        }
    }

    /// The sum, rounded once.
    pub fn finish(&self) -> T {
        if self.negative_zeros {
            T::from_f64(-0.0)
        } else {
            self.sum.finish()
        }
    }
}
