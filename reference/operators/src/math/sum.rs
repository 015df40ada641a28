//! Sum — the sum of any number of tensors, elementwise; summed in f64 (double-double for double), rounded
//! once.
//!
//! Below version 8 the shapes must be equal. The sum of only negative zeros, even of one operand, is −0, as
//! IEEE 754 says (§6.3). onnx.reference adds to the first operand, and runtimes return a single operand
//! unchanged.

use onnx_tensor::dispatch;

use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Shapes::{self, Broadcast, Equal};
use crate::shared::elementwise::variadic;
use crate::shared::running::Running;

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
        variadic(call, shapes, Running::<T>::default(), |sum, x: &T| sum.add(*x), Running::finish)
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// IEEE 754, §6.3: −0 + −0 is −0, −0 + 0 is 0; the mean divides that sum.
    #[test]
    fn a_sum_of_negative_zeros_is_negative_zero() {
        let x = Tensor::vector(vec![-0.0_f32, 0.0]);
        let zeros = Tensor::vector(vec![0.0_f32, 0.0]);
        for operator in ["Sum", "Mean"] {
            exact(
                ("", operator, 13),
                std::slice::from_ref(&x),
                &[],
                std::slice::from_ref(&x),
            );
            exact(
                ("", operator, 13),
                &[x.clone(), x.clone()],
                &[],
                std::slice::from_ref(&x),
            );
            exact(
                ("", operator, 13),
                &[x.clone(), zeros.clone()],
                &[],
                std::slice::from_ref(&zeros),
            );
        }
        let x = Tensor::vector(vec![-0.0_f64]);
        exact(
            ("", "Sum", 13),
            std::slice::from_ref(&x),
            &[],
            std::slice::from_ref(&x),
        );
    }
}
