//! ReduceSumSquare — sums of squares; 0 for an empty set.

use onnx_tensor::{Accumulator, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::{accumulate, reduce};
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "ReduceSumSquare",
    &[
        v(1, First, |call| reduce_sum_square(call, Attribute)),
        v(11, Wording, |call| reduce_sum_square(call, Attribute)),
        v(13, TypesOnly, |call| reduce_sum_square(call, Attribute)),
        v(18, Semantics, |call| reduce_sum_square(call, Input)),
    ],
);

fn reduce_sum_square(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => reduce(call, axes, |set: &[T]| {
        Ok::<T, _>(accumulate(set, |sum, x| sum.add_product(x, x)).finish())
    }))
}
