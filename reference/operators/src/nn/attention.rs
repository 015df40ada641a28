//! Attention — softmax(scale · Q · Kᵀ + bias) · V, with past keys and values, masks and windows.
//!
//! In f64 (products of f64 inputs in double-double), each output rounded once. Where `softmax_precision` is set the logits and
//! the probabilities are cast to that type, as its text says; elsewhere nothing is rounded in between.
//!
//! Versions: 24 adds `nonpad_kv_seqlen` (an external cache, with its own causal offset) and masks shorter than the keys; 25
//! adds windows.
//!
//! Readings: the text of 1.23 is taken for all versions, since it amends 23 and 24 in place: a row that every key is
//! masked from is zero. Output modes follow the text: 0 is the scaled product before the soft cap. From 24 on a mask with
//! one column is padded like any short mask (the function body pads). A mask is bool or of the type of Q; for other types
//! the text has no meaning. The head counts may be given with four axes where they say what the shapes say.

use ndarray::{Array4, ArrayD, Axis, concatenate};
use onnx_tensor::{Tensor, Value};

use super::attention_bias::{Bias, MaskWidth};
use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::heads;
use crate::shared::reals::{self, narrow};

pub const OP: OpDef = op(
    "Attention",
    &[
        v(23, First, |call| attention(call, MaskWidth::Whole)),
        v(24, Semantics, |call| attention(call, MaskWidth::Padded)),
        v(25, Semantics, |call| attention(call, MaskWidth::Padded)),
    ],
);

fn attention(call: &Call<'_>, width: MaskWidth) -> Result<Outputs, OpError> {
    let (q, k, v): (&Tensor, &Tensor, &Tensor) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let dtype = q.dtype();
    let query = by_heads(call, q, "q_num_heads", "Q")?;
    let key = by_heads(call, k, "kv_num_heads", "K")?;
    let value = by_heads(call, v, "kv_num_heads", "V")?;
    let past = past(call)?;
    let past_length = past.as_ref().map(|(key, _)| key.dim().2);
    let (key, value) = match &past {
        None => (key, value),
        Some((past_key, past_value)) => (joined(past_key, &key)?, joined(past_value, &value)?),
    };
    heads::check(&query, &key, &value)?;
    let default = (query.dim().3 as f64).sqrt().recip();
    let scale = call.optional_float("scale")?.map_or(default, f64::from);

    let raw = heads::scores(call, &query, &key, scale, dtype)?;
    let capped = soft_cap(raw.clone(), f64::from(call.float("softcap")?));
    let bias = Bias::read(call, raw.dim(), past_length, width)?;
    let mut biased = capped.clone();
    biased
        .indexed_iter_mut()
        .for_each(|(at, score)| *score += bias.at(at));
    let mut probabilities = biased.clone();
    softmax(call, &mut probabilities)?;
    bias.clear_masked_rows(&mut probabilities);
    let result = heads::weighted(call, &probabilities, &value, dtype)?;

    let y: ArrayD<f64> = if q.rank() == 3 {
        heads::pack(result)?
    } else {
        result.into_dyn()
    };
    let stage = match call.int("qk_matmul_output_mode")? {
        0 => raw,
        1 => capped,
        2 => biased,
        3 => probabilities,
        mode => return Err(OpError::invalid(format!("`qk_matmul_output_mode` is {mode}"))),
    };
    let outputs = [
        narrow(y, dtype)?,
        narrow(key.into_dyn(), k.dtype())?,
        narrow(value.into_dyn(), v.dtype())?,
        narrow(stage.into_dyn(), dtype)?,
    ];
    Ok(outputs
        .into_iter()
        .map(|tensor| Some(Value::from(tensor)))
        .collect())
}

/// A tensor with four axes as it is, one with three split into as many heads as the attribute says.
fn by_heads(call: &Call<'_>, tensor: &Tensor, attribute: &str, name: &str) -> Result<Array4<f64>, OpError> {
    let heads = call
        .optional_int(attribute)?
        .map(|_| super::kernels::groups(call, attribute))
        .transpose()?;
    match (tensor.rank(), heads) {
        (3, Some(heads)) => heads::unpack(tensor, heads, name),
        (3, None) => Err(OpError::invalid(format!(
            "`{name}` has three axes, so `{attribute}` is required"
        ))),
        (_, Some(heads)) if tensor.shape().get(1) != Some(&heads) => Err(OpError::invalid(format!(
            "`{attribute}` is {heads}, but `{name}` has shape {:?}",
            tensor.shape()
        ))),
        _ => heads::of_rank_4(tensor, name),
    }
}

fn past(call: &Call<'_>) -> Result<Option<(Array4<f64>, Array4<f64>)>, OpError> {
    match (call.optional_tensor(4)?, call.optional_tensor(5)?) {
        (None, None) => Ok(None),
        (Some(key), Some(value)) => {
            let key = heads::of_rank_4(key, "past_key")?;
            Ok(Some((key, heads::of_rank_4(value, "past_value")?)))
        }
        _ => Err(OpError::invalid("`past_key` and `past_value` go together")),
    }
}

fn joined(past: &Array4<f64>, new: &Array4<f64>) -> Result<Array4<f64>, OpError> {
    Ok(concatenate(Axis(2), &[past.view(), new.view()])?)
}

/// cap · tanh(x / cap); a cap of 0 is none.
fn soft_cap(scores: Array4<f64>, cap: f64) -> Array4<f64> {
    match cap > 0.0 {
        true => scores.mapv_into(|x| cap * libm::tanh(x / cap)),
        false => scores,
    }
}

fn softmax(call: &Call<'_>, scores: &mut Array4<f64>) -> Result<(), OpError> {
    let Some(number) = call.optional_int("softmax_precision")? else {
        heads::softmax(scores);
        return Ok(());
    };
    let precision = reals::float_type("softmax_precision", number)?;
    let cast = |scores: &mut Array4<f64>| {
        scores
            .iter_mut()
            .try_for_each(|x| reals::round(*x, precision).map(|rounded| *x = rounded))
    };
    cast(scores)?;
    heads::softmax(scores);
    cast(scores)
}
