//! Window functions of signal processing: HannWindow, HammingWindow, BlackmanWindow.
//!
//! Each is a function of the angle θ = 2πn/N, where N is the size of a periodic window and size − 1 of a
//! symmetric one. Precision: f64, with the angle reduced exactly and each formula written so that nothing
//! cancels; rounded once, or truncated for the integer types of `output_datatype`, like the Cast at the end
//! of the function bodies.
//!
//! Interpretation: the function bodies compute in f32 throughout, with constants of f32, and cast at the
//! end; the text gives only the formula. The reference returns the value of the formula. The bound allows
//! the results of the bodies, also for double and integers.
//!
//! Interpretation: for a symmetric window of size 1, the formulas and the function bodies have an angle of
//! 0/0 (NaN); signal libraries return 1. The specification does not decide, so it is an error.

use std::f64::consts::PI;

use onnx_tensor::{DType, Real, Tensor, dispatch};

use crate::frame::{Call, OpError, Outputs, one};

/// θ/2 as πk/N, in integers.
#[derive(Clone, Copy)]
pub(super) struct HalfAngle {
    numerator: u64,
    denominator: u64,
}

impl HalfAngle {
    /// sin²(θ/2) = (1 − cos θ)/2.
    pub(super) fn sin_squared(self) -> f64 {
        // sin(πk/N) = sin(π(N − k)/N), and the smaller argument is more exact.
        let numerator = Ord::min(self.numerator, self.denominator - self.numerator);
        libm::sin(PI * numerator as f64 / self.denominator as f64).powi(2)
    }
}

/// The window of the size in input 0, whose values are `f` of the angle.
pub(super) fn window(call: &Call<'_>, f: impl Fn(HalfAngle) -> f64) -> Result<Outputs, OpError> {
    let &[size] = call.integers(0)?.as_slice() else {
        return Err(OpError::invalid("`size` must have one element"));
    };
    let size = u64::try_from(size).map_err(|_| OpError::invalid(format!("`size` is {size}")))?;
    let dtype = call
        .optional_dtype_attribute("output_datatype")?
        .unwrap_or(DType::Float);
    let dtype = call.output_dtype(0, dtype)?;
    let denominator = match (call.flag("periodic")?, size) {
        (true, _) | (false, 0) => size,
        (false, 1) => return Err(OpError::undefined("a symmetric window of size 1")),
        (false, _) => size - 1,
    };
    let extent = usize::try_from(size).map_err(|_| OpError::invalid(format!("`size` is {size}")))?;
    call.reserve(&[extent], dtype)?;
    let values = (0..size).map(|numerator| {
        f(HalfAngle {
            numerator,
            denominator,
        })
    });
    dispatch!(real, dtype, T => one(Tensor::vector(values.map(<T as Real>::from_f64).collect())))
}
