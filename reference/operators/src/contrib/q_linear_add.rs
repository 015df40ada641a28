//! QLinearAdd — the sum of two tensors of 8 bits, quantized.
//!
//! The sum of the real numbers in f64, divided by the scale of C and rounded half to even.

use super::q_linear_binary::q_linear_binary;
use crate::frame::Change::First;
use crate::frame::{OpDef, contrib, v};

pub const OP: OpDef = contrib(
    "QLinearAdd",
    &[v(1, First, |call| {
        q_linear_binary(call, |(a, a_scale), (b, b_scale)| a.mul_add(a_scale, b * b_scale))
    })],
);

#[cfg(test)]
mod tests {
    use onnx_tensor::{Element, Tensor};

    use crate::frame::testing::{evaluate, exact, refused, values};

    const UNDER: crate::frame::testing::OpVersion = ("com.microsoft", "QLinearAdd", 1);

    fn inputs<T: Element>(a: Vec<T>, b: Vec<T>, zeros: [T; 3], scales: [f32; 3]) -> [Tensor; 8] {
        let [za, zb, zc] = zeros.map(Tensor::scalar);
        let [sa, sb, sc] = scales.map(Tensor::scalar);
        [Tensor::vector(a), sa, za, Tensor::vector(b), sb, zb, sc, zc]
    }

    /// By hand: (2 · 0.5 + 4 · 0.25)/1 + 10 = 12; the tie 2.5 goes to 2; 255 and 0 bound the result.
    #[test]
    fn sums() {
        let bytes = inputs(
            vec![3_u8, 6, 255, 1],
            vec![6_u8, 2, 255, 2],
            [1, 2, 10],
            [0.5, 0.25, 1.0],
        );
        exact(UNDER, &bytes, &[], &[Tensor::vector(vec![12_u8, 12, 200, 10])]);
        let wide = inputs(vec![127_i8, -128], vec![127_i8, -128], [0, 0, 0], [1.0, 1.0, 1.0]);
        exact(UNDER, &wide, &[], &[Tensor::vector(vec![127_i8, -128])]);
    }

    /// A missing zero point is 0; a vector of scales is refused.
    #[test]
    fn zero_points() {
        let all = inputs(vec![3_u8], vec![4_u8], [0, 0, 0], [1.0, 1.0, 1.0]);
        let without = values(&all[..7]);
        let sum = evaluate(UNDER, &without, &[]).expect("a result");
        assert_eq!(
            sum[0].as_tensor().and_then(|sum| sum.to_vec::<u8>().ok()),
            Some(vec![7])
        );
        let mut vector = all;
        vector[1] = Tensor::vector(vec![1.0_f32, 2.0]);
        refused(UNDER, &values(&vector), &[], "must have one element");
    }
}
