//! Sum — the sum of any number of tensors, elementwise; summed in f64 (double-double for double), rounded once.
//!
//! Below version 8 the shapes must be equal.

use onnx_tensor::{Accumulate, Accumulator, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Shapes::{self, Broadcast, Equal};
use crate::shared::elementwise::variadic;

pub const OP: OpDef = op(
    "Sum",
    &[
        v(1, First, |call| sum(call, Equal)),
        v(6, Wording, |call| sum(call, Equal)),
        v(8, Semantics, |call| sum(call, Broadcast)),
        v(13, TypesOnly, |call| sum(call, Broadcast)),
    ],
);

fn sum(call: &Call<'_>, shapes: Shapes) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => {
        let start = <T as Accumulate>::Acc::default();
        variadic(call, shapes, start, |sum, x: &T| sum.add(*x), |sum| sum.finish())
    })
}
