//! Sub — elementwise difference; correctly rounded, wrapping for integers.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::{self, Legacy, Multidirectional};
use crate::shared::elementwise::binary;

pub const OP: OpDef = op(
    "Sub",
    &[
        v(1, First, |call| difference(call, Legacy)),
        v(6, TypesOnly, |call| difference(call, Legacy)),
        v(7, Semantics, |call| difference(call, Multidirectional)),
        v(13, TypesOnly, |call| difference(call, Multidirectional)),
        v(14, TypesOnly, |call| difference(call, Multidirectional)),
    ],
);

fn difference(call: &Call<'_>, broadcasting: Broadcasting) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => binary(call, broadcasting, |x: &T, y: &T| Ok(x.sub(*y))))
}
