//! ReduceL1 — sums of magnitudes; 0 for an empty set.

use onnx_arithmetic::sums::Term;
use onnx_tensor::{Accumulator, DType, Real, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::{accumulate, reduce, reduce_floats};
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::sums;

pub const OP: OpDef = op(
    "ReduceL1",
    &[
        v(1, First, |call| reduce_l1(call, Attribute)),
        v(11, Wording, |call| reduce_l1(call, Attribute)),
        v(13, TypesOnly, |call| reduce_l1(call, Attribute)),
        v(18, Semantics, |call| reduce_l1(call, Input)),
    ],
);

fn reduce_l1(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    if call.dtype(0)? == DType::Float {
        return reduce_floats(
            call,
            axes,
            Term::Magnitude,
            |set| Ok(sums::sum(Term::Magnitude, set)),
            |sum, _| sum,
        );
    }
    dispatch!(real, call.dtype(0)?, T => reduce(call, axes, |set: &[T]| {
        Ok::<T, _>(accumulate(set, |sum, x| sum.add(Real::abs(x))).finish())
    }))
}
