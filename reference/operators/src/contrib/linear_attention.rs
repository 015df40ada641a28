//! LinearAttention (`com.microsoft`) — LinearAttention-27, whose definition is the same.
//!
//! Windows of states and more key heads than query heads are not in that version and are refused.

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};

pub const OP: OpDef = contrib("LinearAttention", &[v(1, First, linear_attention)]);

fn linear_attention(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.int("state_window")? != 0 || call.int("kv_num_heads")? > call.int("q_num_heads")? {
        return Err(OpError::undefined(
            "a window of states, or more key heads than query heads",
        ));
    }
    let operator = ("LinearAttention", 27);
    let inputs: Vec<_> = (0..6).map(|index| call.optional(index).cloned()).collect();
    let attributes = standard::shared_attributes(call, operator);
    standard::evaluate(call, operator, &inputs, &attributes, 2)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, refused};

    /// By hand, with one head of size 1: the states are 1 · 2 = 2 and 2 + 3 · 4 = 14; the outputs 5 · 2 and
    /// 6 · 14.
    #[test]
    fn states_add_up() {
        let under = ("com.microsoft", "LinearAttention", 1);
        let tokens =
            |a: f32, b: f32| -> Value { Tensor::new(&[1, 2, 1], vec![a, b]).expect("two tokens").into() };
        let inputs = [tokens(5.0, 6.0), tokens(1.0, 3.0), tokens(2.0, 4.0)];
        let mut attributes = vec![
            attribute("q_num_heads", 1),
            attribute("kv_num_heads", 1),
            attribute("update_rule", "linear"),
        ];
        let state = Tensor::new(&[1, 1, 1, 1], vec![14.0_f32]).expect("one element");
        check(under, &inputs, &attributes, &[tokens(10.0, 84.0), state.into()]);
        attributes.push(attribute("state_window", 1));
        refused(under, &inputs, &attributes, "a window of states");
    }
}
