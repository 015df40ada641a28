//! ReduceLogSum — the logarithm of sums; −Inf for an empty set, which is an error for integers.

use onnx_tensor::{Accumulator, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::{accumulate, reduce, truncated};
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "ReduceLogSum",
    &[
        v(1, First, |call| reduce_log_sum(call, Attribute)),
        v(11, Wording, |call| reduce_log_sum(call, Attribute)),
        v(13, TypesOnly, |call| reduce_log_sum(call, Attribute)),
        v(18, Semantics, |call| reduce_log_sum(call, Input)),
        v(28, TypesOnly, |call| reduce_log_sum(call, Input)),
    ],
);

fn reduce_log_sum(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => reduce(call, axes, |set: &[T]| {
        let sum = accumulate(set, |sum, x| sum.add(x));
        truncated::<T>(libm::log(Accumulator::<T>::to_f64(sum)))
    }))
}
