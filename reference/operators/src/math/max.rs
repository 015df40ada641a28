//! Max — the greatest of any number of tensors, elementwise; exact.
//!
//! Interpretation: the specification does not mention NaN; NaN in any operand results in NaN, as in NumPy.
//! Below version 8 the shapes must be equal.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Shapes::{self, Broadcast, Equal};
use crate::shared::elementwise::variadic;

pub const OP: OpDef = op(
    "Max",
    &[
        v(1, First, |call| max(call, Equal)),
        v(6, Wording, |call| max(call, Equal)),
        v(8, Semantics, |call| max(call, Broadcast)),
        v(12, TypesOnly, |call| max(call, Broadcast)),
        v(13, TypesOnly, |call| max(call, Broadcast)),
    ],
);

fn max(call: &Call<'_>, shapes: Shapes) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => {
        let step = |greatest: &mut T, x: &T| *greatest = Real::max(*greatest, *x);
        variadic(call, shapes, T::LEAST, step, |greatest| *greatest)
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, values};

    #[test]
    fn shapes_must_be_equal_below_8() {
        let inputs = [Tensor::vector(vec![1.0_f32, f32::NAN]), Tensor::scalar(2.0_f32)];
        refused(("", "Max", 6), &values(&inputs), &[], "does not broadcast");
        exact(
            ("", "Max", 8),
            &inputs,
            &[],
            &[Tensor::vector(vec![2.0_f32, f32::NAN])],
        );
    }
}
