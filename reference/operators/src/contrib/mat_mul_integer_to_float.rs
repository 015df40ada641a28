//! MatMulIntegerToFloat — the product of matrices of 8 bits as real numbers, plus a bias.
//!
//! The sums are exact in int32 (wrapping), scaled and shifted in f64, rounded once. Interpretation: A has one
//! scale and one zero point; the text also allows one for each column of A, which would scale the terms of a
//! sum, and no implementation has it.

use super::integer_product::{Quantized, add_bias, scaled};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::reals::narrow;

pub const OP: OpDef = contrib("MatMulIntegerToFloat", &[v(1, First, mat_mul_integer_to_float)]);

fn mat_mul_integer_to_float(call: &Call<'_>) -> Result<Outputs, OpError> {
    let a = Quantized {
        tensor: call.tensor(0)?,
        scale: call.tensor(2)?,
        zero: call.optional_tensor(4)?,
    };
    let b = Quantized {
        tensor: call.tensor(1)?,
        scale: call.tensor(3)?,
        zero: call.optional_tensor(5)?,
    };
    let mut y = scaled(call, &a, &b)?;
    add_bias(&mut y, call.optional_tensor(6)?)?;
    one(narrow(y, call.dtype(3)?)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, rows};

    /// By hand: (3 − 1) · (4 − 2) + (2 − 1) · (1 − 2) = 3 and 2 · (5 − 3) + 1 · (6 − 3) = 7; times 0.5 and
    /// the scales 2 and 4, plus 1 and −1.
    #[test]
    fn columns_with_their_own_scale() {
        let inputs = [
            Tensor::new(&[1, 2], vec![3_u8, 2]).expect("two elements"),
            Tensor::new(&[2, 2], vec![4_u8, 5, 1, 6]).expect("four elements"),
            Tensor::scalar(0.5_f32),
            Tensor::vector(vec![2.0_f32, 4.0]),
            Tensor::scalar(1_u8),
            Tensor::vector(vec![2_u8, 3]),
            Tensor::vector(vec![1.0_f32, -1.0]),
        ];
        exact(
            ("com.microsoft", "MatMulIntegerToFloat", 1),
            &inputs,
            &[],
            &[rows(&[[4.0, 13.0]])],
        );
    }
}
