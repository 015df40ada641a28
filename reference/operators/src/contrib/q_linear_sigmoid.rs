//! QLinearSigmoid — 1 / (1 + e⁻ˣ) of a tensor of 8 bits, quantized: in f64, rounded half to even once.

use super::affine::Affine;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::activation::sigmoid;

pub const OP: OpDef = contrib("QLinearSigmoid", &[v(1, First, |call| map(call, sigmoid))]);

/// A function of the real numbers of input 0, quantized.
pub fn map(call: &Call<'_>, f: impl Fn(f64) -> f64) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    call.reserve(x.shape(), onnx_tensor::DType::Double)?;
    let values = Affine::read(call, 1)?.values(x)?;
    one(Affine::read(call, 3)?.quantized(values.mapv_into(f), x.dtype())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// By hand: sigmoid(0) = 1/2 is 128 steps of 1/256; sigmoid(±∞) is bounded by 255 and 0.
    #[test]
    fn values() {
        let inputs = [
            Tensor::vector(vec![5_u8, 255, 0]),
            Tensor::scalar(10.0_f32),
            Tensor::scalar(5_u8),
            Tensor::scalar(1.0_f32 / 256.0),
            Tensor::scalar(0_u8),
        ];
        let y = Tensor::vector(vec![128_u8, 255, 0]);
        exact(("com.microsoft", "QLinearSigmoid", 1), &inputs, &[], &[y]);
    }
}
