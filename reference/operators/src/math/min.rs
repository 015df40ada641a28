//! Min — the least of any number of tensors, elementwise; exact.
//!
//! Interpretation: the specification does not mention NaN; NaN in any operand results in NaN, as in NumPy.
//! Below version 8 the shapes must be equal.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Shapes::{self, Broadcast, Equal};
use crate::shared::elementwise::variadic;

pub const OP: OpDef = op(
    "Min",
    &[
        v(1, First, |call| min(call, Equal)),
        v(6, Wording, |call| min(call, Equal)),
        v(8, Semantics, |call| min(call, Broadcast)),
        v(12, TypesOnly, |call| min(call, Broadcast)),
        v(13, TypesOnly, |call| min(call, Broadcast)),
    ],
);

fn min(call: &Call<'_>, shapes: Shapes) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => {
        let step = |least: &mut T, x: &T| *least = Real::min(*least, *x);
        variadic(call, shapes, T::GREATEST, step, |least| *least)
    })
}
