//! ReduceSum — sums; 0 for an empty set.

use onnx_arithmetic::sums::Term;
use onnx_tensor::{Accumulator, DType, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::{accumulate, reduce, reduce_floats};
use crate::frame::Change::{First, Semantics, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::sums;

pub const OP: OpDef = op(
    "ReduceSum",
    &[
        v(1, First, |call| reduce_sum(call, Attribute)),
        v(11, Wording, |call| reduce_sum(call, Attribute)),
        v(13, Semantics, |call| reduce_sum(call, Input)),
    ],
);

fn reduce_sum(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    if call.dtype(0)? == DType::Float {
        return reduce_floats(
            call,
            axes,
            Term::Itself,
            |set| Ok(sums::sum(Term::Itself, set)),
            |sum, _| sum,
        );
    }
    dispatch!(real, call.dtype(0)?, T => reduce(call, axes, |set: &[T]| {
        Ok::<T, _>(accumulate(set, |sum, x| sum.add(x)).finish())
    }))
}
