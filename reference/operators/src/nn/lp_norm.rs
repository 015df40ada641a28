//! The Lp norm of a set of elements, for several operators.
//!
//! |x|ᵖ is evaluated and summed in f64 (double-double sums for f64), and the root is evaluated in f64. For
//! f64 inputs with p > 2 a sum beyond the range of f64 is Inf.

use onnx_tensor::Accumulator;
use onnx_tensor::element::CompensatedSum;

use crate::frame::OpError;

/// A running norm.
#[derive(Clone, Copy, Debug)]
pub struct LpNorm {
    p: f64,
    sum: CompensatedSum,
}

impl LpNorm {
    /// An empty norm of order `p`. The specification defines only positive orders.
    pub fn new(p: f64) -> Result<LpNorm, OpError> {
        if p > 0.0 && p.is_finite() {
            Ok(LpNorm {
                p,
                sum: CompensatedSum::default(),
            })
        } else {
            Err(OpError::undefined(format!("a norm of order {p}")))
        }
    }

    /// Adds an element.
    pub fn add(&mut self, x: f64) {
        match self.p {
            1.0 => self.sum.add(x.abs()),
            2.0 => self.sum.add_product(x, x),
            p => self.sum.add(libm::pow(x.abs(), p)),
        }
    }

    /// The norm of the added elements.
    pub fn finish(self) -> f64 {
        let sum = self.sum.to_f64();
        match self.p {
            1.0 => sum,
            2.0 => sum.sqrt(),
            p => libm::pow(sum, p.recip()),
        }
    }
}
