//! Equal — whether two elements are equal; exact.
//!
//! NaN equals nothing, +0 equals −0; strings are equal if their bytes are.

use onnx_tensor::{DType, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::{self, Legacy, Multidirectional};
use crate::shared::elementwise::binary;

pub const OP: OpDef = op(
    "Equal",
    &[
        v(1, First, |call| equal(call, Legacy)),
        v(7, Semantics, |call| equal(call, Multidirectional)),
        v(11, TypesOnly, |call| equal(call, Multidirectional)),
        v(13, TypesOnly, |call| equal(call, Multidirectional)),
        v(19, TypesOnly, |call| equal(call, Multidirectional)),
    ],
);

fn equal(call: &Call<'_>, broadcasting: Broadcasting) -> Result<Outputs, OpError> {
    match call.dtype(0)? {
        DType::String => binary(call, broadcasting, |a: &String, b: &String| Ok(a == b)),
        dtype => dispatch!(plain, dtype, T => binary(call, broadcasting, |a: &T, b: &T| Ok(a == b))),
    }
}
