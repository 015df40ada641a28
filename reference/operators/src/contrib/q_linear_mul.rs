//! QLinearMul — the product of two tensors of 8 bits, quantized.
//!
//! The product of the real numbers in f64, divided by the scale of C and rounded half to even.

use super::q_linear_binary::q_linear_binary;
use crate::frame::Change::First;
use crate::frame::{OpDef, contrib, v};

pub const OP: OpDef = contrib(
    "QLinearMul",
    &[v(1, First, |call| {
        q_linear_binary(call, |(a, a_scale), (b, b_scale)| (a * b) * (a_scale * b_scale))
    })],
);

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// By hand: (3 − 1) · (−2 − 2) · 0.5 · 0.25 / 0.5 + 1 = −1; a scalar is broadcast.
    #[test]
    fn products() {
        let inputs = [
            Tensor::vector(vec![3_i8, 1]),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(1_i8),
            Tensor::scalar(-2_i8),
            Tensor::scalar(0.25_f32),
            Tensor::scalar(2_i8),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(1_i8),
        ];
        exact(
            ("com.microsoft", "QLinearMul", 1),
            &inputs,
            &[],
            &[Tensor::vector(vec![-1_i8, 1])],
        );
    }
}
