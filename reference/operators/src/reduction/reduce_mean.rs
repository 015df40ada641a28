//! ReduceMean — means, rounded once; for integers the mean of the exact sum, truncated toward zero.
//!
//! The text calls the mean of an empty set "undefined"; it is an error here.

use onnx_arithmetic::sums::Term;
use onnx_tensor::{Accumulator, DType, Float, Int, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::{accumulate, reduce, reduce_floats};
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::sums;

pub const OP: OpDef = op(
    "ReduceMean",
    &[
        v(1, First, |call| reduce_mean(call, Attribute)),
        v(11, Wording, |call| reduce_mean(call, Attribute)),
        v(13, TypesOnly, |call| reduce_mean(call, Attribute)),
        v(18, Semantics, |call| reduce_mean(call, Input)),
    ],
);

fn reduce_mean(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    let dtype = call.dtype(0)?;
    if dtype == DType::Float {
        let of_set = |set: &[f32]| nonempty(set).map(|_| sums::mean(set));
        return reduce_floats(call, axes, Term::Itself, of_set, |sum, count| sum / count as f64);
    }
    if dtype.is_float() {
        dispatch!(float, dtype, T => reduce(call, axes, mean_of_floats::<T>))
    } else {
        dispatch!(int, dtype, T => reduce(call, axes, mean_of_integers::<T>))
    }
}

fn mean_of_floats<T: Float>(set: &[T]) -> Result<T, OpError> {
    let sum = accumulate(set, |sum, x| sum.add(x));
    nonempty(set).map(|count| T::from_f64(Accumulator::<T>::to_f64(sum) / count as f64))
}

fn mean_of_integers<T: Int>(set: &[T]) -> Result<T, OpError> {
    let sum: i128 = set.iter().map(|x| x.to_i128()).sum();
    nonempty(set).map(|count| T::wrap_i128(sum / count as i128))
}

fn nonempty<T>(set: &[T]) -> Result<usize, OpError> {
    match set.len() {
        0 => Err(OpError::undefined("the mean of an empty set")),
        count => Ok(count),
    }
}
