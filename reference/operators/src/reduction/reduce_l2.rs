//! ReduceL2 — the square root of sums of squares, rounded once; 0 for an empty set.
//!
//! Floats are first scaled by a power of two, so that no square leaves the range. The squares of integers
//! are summed exactly in 128 bits and the root is truncated toward zero (question `reduce-l2-integers`); a
//! sum that overflows 128 bits is an error. No sentence defines a norm beyond the range of the type.

use onnx_tensor::element::CompensatedSum;
use onnx_tensor::{Accumulator, Float, Int, Real, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::reduce;
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, Unspecified, op, v};

pub const OP: OpDef = op(
    "ReduceL2",
    &[
        v(1, First, |call| reduce_l2(call, Attribute)),
        v(11, Wording, |call| reduce_l2(call, Attribute)),
        v(13, TypesOnly, |call| reduce_l2(call, Attribute)),
        v(18, Semantics, |call| reduce_l2(call, Input)),
    ],
);

fn reduce_l2(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    let dtype = call.dtype(0)?;
    if dtype.is_float() {
        dispatch!(float, dtype, T => reduce(call, axes, |set: &[T]| Ok(norm_of_floats(set))))
    } else {
        let wraps = call.takes(Reading::ReduceL2Wraps);
        dispatch!(int, dtype, T => reduce(call, axes, |set: &[T]| if wraps { Ok(norm_that_wraps(set)) } else { norm_of_integers(call, set) }))
    }
}

fn norm_of_floats<T: Float>(set: &[T]) -> T {
    let greatest = set.iter().map(|x| x.to_f64().abs()).fold(0.0, <f64 as Real>::max);
    if !greatest.is_finite() {
        return T::from_f64(greatest);
    }
    let (_, exponent) = libm::frexp(greatest);
    let mut sum = CompensatedSum::default();
    for x in set {
        let scaled = libm::ldexp(x.to_f64(), -exponent);
        sum.add_product(scaled, scaled);
    }
    T::from_f64(libm::ldexp(sum.finish().sqrt(), exponent))
}

fn norm_of_integers<T: Int>(call: &Call<'_>, set: &[T]) -> Result<T, OpError> {
    let sum = set
        .iter()
        .map(|x| x.to_i128().unsigned_abs())
        .try_fold(0_u128, |sum, x| sum.checked_add(x * x))
        .ok_or_else(|| OpError::undefined("a sum of squares beyond 128 bits"))?;
    let norm = sum.isqrt() as i128;
    let wrapped = T::wrap_i128(norm);
    match call.unspecified() {
        _ if wrapped.to_i128() == norm => Ok(wrapped),
        Unspecified::Chosen => Ok(wrapped),
        Unspecified::Drawn => Ok(T::wrap_i128(call.draw_seed().into())),
        Unspecified::Refused => Err(OpError::undefined(format!(
            "no sentence defines the norm {norm} of integers of the type {}",
            T::DTYPE
        ))),
    }
}

/// The root of a sum of squares that wraps in its type; 0 for a negative sum, whose root is NaN.
fn norm_that_wraps<T: Int>(set: &[T]) -> T {
    let square = |x: &T| {
        let x = x.to_i128();
        T::wrap_i128(x.wrapping_mul(x)).to_i128()
    };
    let sum = set
        .iter()
        .map(square)
        .fold(0, |sum, square| T::wrap_i128(sum + square).to_i128());
    T::wrap_i128(sum.max(0).isqrt())
}
