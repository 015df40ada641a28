//! NhwcFusedConv — FusedConv of an image with channels last.
//!
//! Interpretation: the kernels keep the layout of ONNX, and the addend has that of the result.

use onnx_tensor::{DType, Tensor, Value};

use super::{channels, fused_conv};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("NhwcFusedConv", &[v(1, First, nhwc_fused_conv)]);

fn nhwc_fused_conv(call: &Call<'_>) -> Result<Outputs, OpError> {
    let first = |index: usize| -> Result<Option<Value>, OpError> {
        let tensor = call.optional_tensor(index)?;
        tensor
            .map(|tensor: &Tensor| Ok(channels::to_first(tensor, true)?.into()))
            .transpose()
    };
    let inputs = [
        first(0)?,
        call.optional(1).cloned(),
        call.optional(2).cloned(),
        first(3)?,
    ];
    call.reserve(call.tensor(0)?.shape(), DType::Double)?;
    let inner = call.with_node(call.schema(), &inputs, call.given_attributes(), &[true]);
    let outputs = fused_conv::evaluate(&inner)?;
    match outputs.into_iter().next() {
        Some(Some(Value::Tensor(y))) => one(channels::to_last(&y, true)?.to_standard()),
        _ => Err(OpError::undefined("a convolution without an output")),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, f16};

    use crate::frame::testing::{attribute, exact};

    /// By hand: pixels (1, 2) and (3, −4) with the kernel (1, 10), plus 5: 26 and −32.
    #[test]
    fn channels_last() {
        let pixels = |shape: [usize; 3], values: &[f32]| {
            let values = values.iter().map(|&value| f16::from_f32(value)).collect();
            Tensor::new(&shape, values).expect("pixels")
        };
        let inputs = [
            pixels([1, 2, 2], &[1.0, 2.0, 3.0, -4.0]),
            pixels([1, 2, 1], &[1.0, 10.0]),
            Tensor::vector(vec![f16::from_f32(5.0)]),
        ];
        exact(
            ("com.microsoft", "NhwcFusedConv", 1),
            &inputs,
            &[attribute("activation", "Relu")],
            &[pixels([1, 2, 1], &[26.0, 0.0])],
        );
    }
}
