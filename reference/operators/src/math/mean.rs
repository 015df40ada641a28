//! Mean — the mean of any number of tensors, elementwise; summed in f64 (double-double for double),
//! divided, rounded once.
//!
//! Below version 8 the shapes must be equal. The mean of only negative zeros is −0, because their sum is.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Shapes::{self, Broadcast, Equal};
use crate::shared::elementwise::variadic;
use crate::shared::running::Running;

pub const OP: OpDef = op(
    "Mean",
    &[
        v(1, First, |call| mean(call, Equal)),
        v(6, Wording, |call| mean(call, Equal)),
        v(8, Semantics, |call| mean(call, Broadcast)),
        v(13, TypesOnly, |call| mean(call, Broadcast)),
    ],
);

fn mean(call: &Call<'_>, shapes: Shapes) -> Result<Outputs, OpError> {
    let count = call.input_count() as f64;
    dispatch!(float, call.dtype(0)?, T => {
        let divide = |sum: &Running<T>| <T as Real>::from_f64(sum.to_f64() / count);
        variadic(call, shapes, Running::<T>::default(), |sum, x: &T| sum.add(*x), divide)
    })
}
