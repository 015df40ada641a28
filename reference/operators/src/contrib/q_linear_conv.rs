//! QLinearConv (`com.microsoft`) — QLinearConv-10, also with channels last.
//!
//! Interpretation: with channels last the kernels keep the layout of ONNX, as in ONNX Runtime.

use super::{channels, standard};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("QLinearConv", &[v(1, First, q_linear_conv)]);

fn q_linear_conv(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (operator, last) = (("QLinearConv", 10), channels::are_last(call)?);
    let x = channels::to_first(call.tensor(0)?, last)?;
    let mut inputs = vec![Some(&x)];
    for index in 1..9 {
        inputs.push(call.optional_tensor(index)?);
    }
    let attributes = standard::shared_attributes(call, operator);
    let y = standard::tensor(call, operator, &inputs, &attributes)?;
    one(channels::to_last(&y, last)?.to_standard())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// By hand: pixels (1, 2) and (3, 4) with the kernel (1, 10), plus 5.
    #[test]
    fn channels_last() {
        let inputs = [
            Tensor::new(&[1, 2, 2], vec![2_u8, 3, 4, 5]).expect("four elements"),
            Tensor::scalar(1.0_f32),
            Tensor::scalar(1_u8),
            Tensor::new(&[1, 2, 1], vec![1_i8, 10]).expect("two elements"),
            Tensor::scalar(1.0_f32),
            Tensor::scalar(0_i8),
            Tensor::scalar(1.0_f32),
            Tensor::scalar(5_u8),
        ];
        exact(
            ("com.microsoft", "QLinearConv", 1),
            &inputs,
            &[attribute("channels_last", 1)],
            &[Tensor::new(&[1, 2, 1], vec![26_u8, 48]).expect("two elements")],
        );
    }
}
