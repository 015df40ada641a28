//! LinearAttentionGate — decay = decay_scale · Softplus(a + dt_bias) and beta = Sigmoid(b), each in f64 and
//! rounded once.

use onnx_tensor::Value;

use super::biased::{along_last, biased};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::shared::activation::{sigmoid, softplus};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("LinearAttentionGate", &[v(1, First, linear_attention_gate)]);

fn linear_attention_gate(call: &Call<'_>) -> Result<Outputs, OpError> {
    let a = call.tensor(0)?;
    let sum = biased(call, a, Some(call.tensor(1)?))?.mapv_into(softplus);
    let decay = &sum * &along_last(&sum, call.tensor(2)?, "decay_scale")?;
    let beta = match call.optional_tensor(3)? {
        None if call.wants(1) => return Err(OpError::invalid("the output `beta` requires the input `b`")),
        None => None,
        Some(b) => Some(Value::from(narrow(widen(b)?.mapv_into(sigmoid), b.dtype())?)),
    };
    Ok(vec![Some(narrow(decay, a.dtype())?.into()), beta])
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::check;

    /// By hand: −2 · ln(1 + e⁰), and 1 / (1 + e^−ln 3).
    #[test]
    fn both_gates() {
        let one = |value: f32| -> Value { Tensor::new(&[1, 1, 1], vec![value]).expect("one").into() };
        let vector = |value: f32| -> Value { Tensor::vector(vec![value]).into() };
        check(
            ("com.microsoft", "LinearAttentionGate", 1),
            &[one(1.0), vector(-1.0), vector(-2.0), one(3.0_f32.ln())],
            &[],
            &[one(-2.0 * std::f32::consts::LN_2), one(0.75)],
        );
    }
}
