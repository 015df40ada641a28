//! QAttention — Attention whose projections are products of matrices of 8 bits.
//!
//! The products are exact in int32 (wrapping), scaled and shifted in f64; the rest as Attention.
//! Interpretation: the text requires a mask of shape B; those of Attention are accepted, as in ONNX
//! Runtime.

use onnx_tensor::Tensor;

use super::attended::add_projection_bias;
use super::attention::{Places, attend, split};
use super::integer_product::{Quantized, scaled};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};

pub const OP: OpDef = contrib("QAttention", &[v(1, First, q_attention)]);

fn q_attention(call: &Call<'_>) -> Result<Outputs, OpError> {
    let input: &Tensor = call.tensor(0)?;
    let &[batch, sequence, width] = input.shape() else {
        return Err(OpError::invalid("the input must have rank 3"));
    };
    let rows = input.reshape(&[batch * sequence, width])?;
    let a = Quantized {
        tensor: &rows,
        scale: call.tensor(3)?,
        zero: call.optional_tensor(6)?,
    };
    let b = Quantized {
        tensor: call.tensor(1)?,
        scale: call.tensor(4)?,
        zero: call.optional_tensor(7)?,
    };
    let mut projected = scaled(call, &a, &b)?.into_dimensionality::<ndarray::Ix2>()?;
    let columns = projected.ncols();
    add_projection_bias(call, 2, &mut projected)?;
    if columns % 3 != 0 {
        return Err(OpError::invalid(format!(
            "weights with {columns} columns are not divisible into queries, keys and values"
        )));
    }
    let heads = split(
        call,
        &projected,
        (batch, sequence),
        [columns / 3; 3],
        call.dtype(3)?,
    )?;
    let places = Places {
        mask: 5,
        past: 8,
        bias: None,
    };
    attend(call, heads, places)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, evaluate};

    /// As the test of Attention: the value is (step − 1) · 0.5 · (2 − 1) · 2 of the token, plus 1.
    #[test]
    fn later_tokens() {
        let inputs: [Value; 5] = [
            Tensor::new(&[1, 3, 1], vec![1_u8, 2, 4])
                .expect("three tokens")
                .into(),
            Tensor::new(&[1, 3], vec![0_i8, 0, 1]).expect("a row").into(),
            Tensor::vector(vec![0.0_f32, 0.0, 1.0]).into(),
            Tensor::scalar(0.5_f32).into(),
            Tensor::scalar(2.0_f32).into(),
        ];
        let attributes = [attribute("num_heads", 1), attribute("unidirectional", 1)];
        let outputs = evaluate(("com.microsoft", "QAttention", 1), &inputs, &attributes).expect("a result");
        let y = outputs[0]
            .as_tensor()
            .and_then(|y| y.to_vec::<f32>().ok())
            .expect("floats");
        assert_eq!(y, [2.0, 2.5, 10.0 / 3.0]);
    }
}
