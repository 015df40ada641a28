//! Less — whether the first of two elements is less than the second; exact, false if either is NaN.

use onnx_tensor::dispatch;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::{self, Legacy, Multidirectional};
use crate::shared::elementwise::binary;

pub const OP: OpDef = op(
    "Less",
    &[
        v(1, First, |call| less(call, Legacy)),
        v(7, Semantics, |call| less(call, Multidirectional)),
        v(9, TypesOnly, |call| less(call, Multidirectional)),
        v(13, TypesOnly, |call| less(call, Multidirectional)),
    ],
);

fn less(call: &Call<'_>, broadcasting: Broadcasting) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => binary(call, broadcasting, |a: &T, b: &T| Ok(a < b)))
}
