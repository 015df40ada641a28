//! DecoderMaskedMultiHeadAttention — MultiHeadAttention of one new token, for a decoder.
//!
//! In f64, each output rounded once. Interpretation: masks and `qk` as in MultiHeadAttention. A shared
//! buffer, whose keys the text reorders by the size of a load, and beams are refused.

use ndarray::{Array4, s};

use super::attended::{Heads, add_bias, add_mask, bias_of, projected};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::nn::positive;
use crate::shared::heads::of_rank_4;
use crate::shared::reals::narrow;

pub const OP: OpDef = contrib(
    "DecoderMaskedMultiHeadAttention",
    &[v(1, First, decoder_masked_multi_head_attention)],
);

fn decoder_masked_multi_head_attention(call: &Call<'_>) -> Result<Outputs, OpError> {
    let shared = call.optional_int("past_present_share_buffer")?.unwrap_or(0) != 0;
    if shared || (7..10).any(|index| call.optional(index).is_some()) {
        return Err(OpError::undefined(
            "a buffer that past and present share, and beams",
        ));
    }
    let (query, key, value) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let count = positive(call, "num_heads")?;
    let width = query.shape().last().copied().unwrap_or(0);
    let bias = bias_of(call, 10)?;
    let part = |from: usize, to: usize| {
        let bias = bias.as_ref()?;
        Some(bias.slice(s![from.min(bias.len())..to.min(bias.len())]))
    };
    let q = projected(call, query, count, part(0, width), "query")?;
    if q.dim().2 != 1 {
        return Err(OpError::invalid(format!(
            "{} new tokens, expected one",
            q.dim().2
        )));
    }
    let (k, v) = match key.rank() {
        4 => (of_rank_4(key, "key")?, of_rank_4(value, "value")?),
        _ => {
            let values = value.shape().last().copied().unwrap_or(0);
            let of_value = part(2 * width, 2 * width + values);
            (
                projected(call, key, count, part(width, 2 * width), "key")?,
                projected(call, value, count, of_value, "value")?,
            )
        }
    };
    let mut heads = Heads {
        query: q,
        key: k,
        value: v,
        past: 0,
        dtype: query.dtype(),
    };
    if let (Some(key), Some(value)) = (call.optional_tensor(5)?, call.optional_tensor(6)?) {
        heads.behind(&of_rank_4(key, "past_key")?, &of_rank_4(value, "past_value")?)?;
    }
    let mut scores = heads.scores(call)?;
    add_mask(call, 3, &mut scores)?;
    add_bias(call, 4, &mut scores)?;
    let dense = |array: &Array4<f64>| narrow(array.clone().into_dyn(), heads.dtype);
    let (key, value, qk) = (dense(&heads.key)?, dense(&heads.value)?, dense(&scores)?);
    Ok(vec![
        Some(heads.output(call, scores)?),
        Some(key.into()),
        Some(value.into()),
        Some(qk.into()),
    ])
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, evaluate_optional};

    /// Queries of 0: the mean of the values 1 and 2 (past) and 6.
    #[test]
    fn a_step() {
        let one = |value: f32| -> Option<Value> {
            Some(Tensor::new(&[1, 1, 1], vec![value]).expect("one token").into())
        };
        let past = |values: [f32; 2]| -> Option<Value> {
            Some(
                Tensor::new(&[1, 1, 2, 1], values.to_vec())
                    .expect("two tokens")
                    .into(),
            )
        };
        let inputs = [
            one(0.0),
            one(0.0),
            one(6.0),
            None,
            None,
            past([0.0, 0.0]),
            past([1.0, 2.0]),
        ];
        let schema = &onnx_schema::versions("com.microsoft", "DecoderMaskedMultiHeadAttention")[0];
        let outputs = evaluate_optional(schema, &inputs, &[attribute("num_heads", 1)]).expect("a result");
        let floats = |at: usize| outputs[at].as_tensor().and_then(|y| y.to_vec::<f32>().ok());
        assert_eq!(floats(0), Some(vec![3.0]));
        assert_eq!(floats(2), Some(vec![1.0, 2.0, 6.0]));
    }
}
