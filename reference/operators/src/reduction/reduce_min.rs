//! ReduceMin — the least elements; exact. The greatest value of the type for an empty set (+Inf for
//! floats).
//!
//! A NaN in a set results in NaN, as in NumPy; the text does not mention NaN (question `arg-nan`). Since 20
//! also bool, with false less than true.

use onnx_tensor::{DType, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::reduce;
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::extremum::{self, Extremum, NanOrder};

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
        dtype => {
            let nan = NanOrder::of(call);
            dispatch!(real, dtype, T => {
                reduce(call, axes, |set: &[T]| Ok(extremum::value(set, Extremum::Min, nan)))
            })
        }
    }
}
