//! DynamicQuantizeMatMul — A is quantized by DynamicQuantizeLinear-11, then multiplied as in
//! MatMulIntegerToFloat, plus a bias.
//!
//! The sums are exact in int32 (wrapping), scaled and shifted in f64, rounded once.

use onnx_tensor::Value;

use super::integer_product::{Quantized, add_bias, scaled};
use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::reals::narrow;

pub const OP: OpDef = contrib("DynamicQuantizeMatMul", &[v(1, First, dynamic_quantize_mat_mul)]);

fn dynamic_quantize_mat_mul(call: &Call<'_>) -> Result<Outputs, OpError> {
    let a = Some(call.value(0)?.clone());
    let quantized = standard::evaluate(call, ("DynamicQuantizeLinear", 11), &[a], &[], 3)?;
    let [
        Some(Value::Tensor(tensor)),
        Some(Value::Tensor(scale)),
        Some(Value::Tensor(zero)),
    ] = &quantized[..]
    else {
        return Err(OpError::undefined("DynamicQuantizeLinear without three outputs"));
    };
    let a = Quantized {
        tensor,
        scale,
        zero: Some(zero),
    };
    let b = Quantized {
        tensor: call.tensor(1)?,
        scale: call.tensor(2)?,
        zero: call.optional_tensor(3)?,
    };
    let mut y = scaled(call, &a, &b)?;
    add_bias(&mut y, call.optional_tensor(4)?)?;
    one(narrow(y, call.dtype(0)?)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, rows};

    /// By hand: the range [−63.75, 191.25] has the scale 1 and the zero point 64 (63.75 is rounded); 191.25
    /// is 191 + 64, and −63.75 is 0: the product is (191 · 1 − 64 · 2) · 0.5 + 1.
    #[test]
    fn the_first_operand_is_quantized() {
        let inputs = [
            rows(&[[191.25_f32, -63.75]]),
            Tensor::new(&[2, 1], vec![1_i8, 2]).expect("two elements"),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(0_i8),
            Tensor::new(&[1, 1, 1], vec![1.0_f32]).expect("one element"),
        ];
        exact(
            ("com.microsoft", "DynamicQuantizeMatMul", 1),
            &inputs,
            &[],
            &[rows(&[[32.5]])],
        );
    }
}
