//! Greater — whether the first of two elements is greater than the second; exact, false if either is NaN.

use onnx_tensor::dispatch;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::{self, Legacy, Multidirectional};
use crate::shared::elementwise::binary;

pub const OP: OpDef = op(
    "Greater",
    &[
        v(1, First, |call| greater(call, Legacy)),
        v(7, Semantics, |call| greater(call, Multidirectional)),
        v(9, TypesOnly, |call| greater(call, Multidirectional)),
        v(13, TypesOnly, |call| greater(call, Multidirectional)),
    ],
);

fn greater(call: &Call<'_>, broadcasting: Broadcasting) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => binary(call, broadcasting, |a: &T, b: &T| Ok(a > b)))
}
