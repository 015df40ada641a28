//! QuantizeLinear (`com.microsoft`) — QuantizeLinear-21 without blocks, for types of 16, 8 and 4 bits.
//!
//! Without `axis` there is one scale for the tensor.

use super::dequantize_linear::by_standard;
use crate::frame::Change::First;
use crate::frame::{OpDef, contrib, v};

pub const OP: OpDef = contrib(
    "QuantizeLinear",
    &[v(1, First, |call| by_standard(call, ("QuantizeLinear", 21)))],
);

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, values};

    /// By hand: 2.5 goes to 2, plus the zero point; 16 bits are not saturated at 255.
    #[test]
    fn sixteen_bits() {
        let under = ("com.microsoft", "QuantizeLinear", 1);
        let inputs = [
            Tensor::vector(vec![2.5_f32, 1000.0]),
            Tensor::scalar(1.0_f32),
            Tensor::scalar(3_u16),
        ];
        exact(under, &inputs, &[], &[Tensor::vector(vec![5_u16, 1003])]);
        let vector = [inputs[0].clone(), Tensor::vector(vec![1.0_f32, 2.0])];
        refused(under, &values(&vector), &[], "`axis`");
    }
}
