//! DequantizeLinear (`com.microsoft`) — DequantizeLinear-21 without blocks, for types of 32, 16, 8 and 4
//! bits.
//!
//! Without `axis` there is one scale for the tensor.

use super::standard::{self, Standard};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib(
    "DequantizeLinear",
    &[v(1, First, |call| by_standard(call, ("DequantizeLinear", 21)))],
);

/// The result of the operator of ONNX of the same name.
pub fn by_standard(call: &Call<'_>, operator: Standard) -> Result<Outputs, OpError> {
    if call.optional_int("axis")?.is_none() && call.tensor(1)?.len() != 1 {
        return Err(OpError::invalid(format!(
            "a scale of shape {:?} requires the attribute `axis`",
            call.tensor(1)?.shape()
        )));
    }
    let inputs = [
        Some(call.tensor(0)?),
        Some(call.tensor(1)?),
        call.optional_tensor(2)?,
    ];
    let attributes = standard::shared_attributes(call, operator);
    one(standard::tensor(call, operator, &inputs, &attributes)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// By hand: (5 − 1) · 0.5 and (7 − 2) · 2.
    #[test]
    fn an_axis() {
        let inputs = [
            Tensor::new(&[2, 1], vec![5_i16, 7]).expect("two elements"),
            Tensor::vector(vec![0.5_f32, 2.0]),
            Tensor::vector(vec![1_i16, 2]),
        ];
        let y = Tensor::new(&[2, 1], vec![2.0_f32, 10.0]).expect("two elements");
        exact(
            ("com.microsoft", "DequantizeLinear", 1),
            &inputs,
            &[attribute("axis", 0)],
            &[y],
        );
    }
}
