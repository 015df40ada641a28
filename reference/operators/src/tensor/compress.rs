//! Compress — the slices along `axis` where the condition is true, or the elements of the flattened input without `axis`.
//!
//! The condition may be shorter than the axis; what lies beyond it is left out. Reading: it may not be longer. `axis` counts
//! from the back from version 11 on, in version 9 too but in a strict run (deviation `negative-axis`).

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::axes::{self, ReadAxis};
use crate::shared::layout;

pub const OP: OpDef = op(
    "Compress",
    &[
        v(9, First, |call| compress(call, axes::older(call))),
        v(11, Semantics, |call| compress(call, axes::axis)),
        v(28, TypesOnly, |call| compress(call, axes::axis)),
    ],
);

fn compress(call: &Call<'_>, read: ReadAxis) -> Result<Outputs, OpError> {
    let (input, condition) = (call.tensor(0)?, call.array::<bool>(1)?);
    let (x, axis) = match call.optional_int("axis")? {
        Some(axis) => (input.clone(), read(axis, input.rank())?),
        None => (input.reshape(&[input.len()])?, 0),
    };
    let extent = layout::extent(&x, axis)?;
    if condition.ndim() != 1 || condition.len() > extent {
        let shape = condition.shape();
        return Err(OpError::invalid(format!(
            "a condition of shape {shape:?} for an axis of {extent}"
        )));
    }
    let kept = condition
        .iter()
        .enumerate()
        .filter(|&(_, &keep)| keep)
        .map(|(at, _)| at);
    one(layout::pick(&x, axis, kept)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{refused, rows, values};

    #[test]
    fn refusals() {
        let inputs = |condition: &[bool]| values(&[rows(&[[1.0, 2.0]]), Tensor::vector(condition.to_vec())]);
        refused(("", "Compress", 11), &inputs(&[true; 3]), &[], "axis of 2");
    }
}
