//! QLinearLeakyRelu — x, or alpha · x below 0, of a tensor of 8 bits, quantized: in f64, rounded half to even
//! once.

use super::q_linear_sigmoid::map;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::shared::activation::leaky_relu;

pub const OP: OpDef = contrib("QLinearLeakyRelu", &[v(1, First, q_linear_leaky_relu)]);

fn q_linear_leaky_relu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let alpha = f64::from(call.float("alpha")?);
    map(call, |x| leaky_relu(x, alpha))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// By hand: −8 · 0.5 · 0.25 / 0.5 + 3 = 1; 4 · 0.5 / 0.5 + 3 = 7.
    #[test]
    fn both_sides() {
        let inputs = [
            Tensor::vector(vec![-7_i8, 5]),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(1_i8),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(3_i8),
        ];
        exact(
            ("com.microsoft", "QLinearLeakyRelu", 1),
            &inputs,
            &[attribute("alpha", 0.25_f32)],
            &[Tensor::vector(vec![1_i8, 7])],
        );
    }
}
