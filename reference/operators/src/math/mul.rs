//! Mul — elementwise product; correctly rounded, wrapping for integers.

use onnx_arithmetic::pairs::Pair;
use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::{self, Legacy, Multidirectional};
use crate::shared::elementwise::binary;
use crate::shared::pairs::floats;

pub const OP: OpDef = op(
    "Mul",
    &[
        v(1, First, |call| product(call, Legacy)),
        v(6, TypesOnly, |call| product(call, Legacy)),
        v(7, Semantics, |call| product(call, Multidirectional)),
        v(13, TypesOnly, |call| product(call, Multidirectional)),
        v(14, TypesOnly, |call| product(call, Multidirectional)),
    ],
);

fn product(call: &Call<'_>, broadcasting: Broadcasting) -> Result<Outputs, OpError> {
    if let Some(outputs) = floats(call, broadcasting, Pair::Mul)? {
        return Ok(outputs);
    }
    dispatch!(real, call.dtype(0)?, T => binary(call, broadcasting, |x: &T, y: &T| Ok(x.mul(*y))))
}
