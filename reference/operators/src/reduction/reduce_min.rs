//! ReduceMin — the least elements; exact. Over an empty set the greatest value of the type (+Inf for floats).
//!
//! NaN in a set gives NaN, as NumPy has it (the text does not speak of NaN). Since 20 truth values, false below true.

use onnx_tensor::{DType, Real, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::reduce;
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "ReduceMin",
    &[
        v(1, First, |call| reduce_min(call, Attribute)),
        v(11, Wording, |call| reduce_min(call, Attribute)),
        v(12, TypesOnly, |call| reduce_min(call, Attribute)),
        v(13, TypesOnly, |call| reduce_min(call, Attribute)),
        v(18, Semantics, |call| reduce_min(call, Input)),
        v(20, TypesOnly, |call| reduce_min(call, Input)),
    ],
);

fn reduce_min(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    match call.dtype(0)? {
        DType::Bool => reduce(call, axes, |set: &[bool]| Ok(!set.contains(&false))),
        dtype => dispatch!(real, dtype, T => reduce(call, axes, |set: &[T]| {
            Ok(set.iter().fold(T::GREATEST, |least, &x| Real::min(least, x)))
        })),
    }
}
