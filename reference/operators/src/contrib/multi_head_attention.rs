//! MultiHeadAttention — attention over queries, keys and values that are projected already, with the bias of
//! the projection, a mask of keys, a bias of scores and past keys and values.
//!
//! In f64, each output rounded once.
//!
//! Interpretation, as in ONNX Runtime: a mask adds `mask_filter_value` to scores; an entry above 0 keeps a
//! key; the first entries of a mask of 3B + 2 are the lengths. `unidirectional` hides later keys entirely.
//! `qk` has the scaled scores with mask and bias, before the softmax. With keys of rank 4 the bias applies to
//! queries alone. Shared buffers and beams are refused: their layout is not that of a value.

use ndarray::{Array4, Axis, Ix5, s};
use onnx_tensor::Tensor;

use super::attended::{Heads, add_bias, add_mask, add_to_heads, bias_of, causal, projected};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::nn::positive;
use crate::shared::heads::of_rank_4;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("MultiHeadAttention", &[v(1, First, multi_head_attention)]);

fn multi_head_attention(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.optional(8).is_some() || call.optional(9).is_some() {
        return Err(OpError::undefined("a buffer that past and present share"));
    }
    let mut heads = read(call)?;
    if let (Some(key), Some(value)) = (call.optional_tensor(6)?, call.optional_tensor(7)?) {
        heads.behind(&of_rank_4(key, "past_key")?, &of_rank_4(value, "past_value")?)?;
    }
    let mut scores = heads.scores(call)?;
    if call.flag("unidirectional")? {
        causal(&mut scores, heads.past);
    }
    add_mask(call, 4, &mut scores)?;
    add_bias(call, 5, &mut scores)?;
    let present = |array: &Array4<f64>| narrow(array.clone().into_dyn(), heads.dtype);
    let (key, value) = (present(&heads.key)?, present(&heads.value)?);
    let qk = narrow(scores.clone().into_dyn(), heads.dtype)?;
    Ok(vec![
        Some(heads.output(call, scores)?),
        Some(key.into()),
        Some(value.into()),
        Some(qk.into()),
    ])
}

/// The projected queries, keys and values in each of their layouts.
fn read(call: &Call<'_>) -> Result<Heads, OpError> {
    let count = positive(call, "num_heads")?;
    let query = call.tensor(0)?;
    let bias = bias_of(call, 3)?;
    let part = |from: usize, to: usize| {
        let bias = bias.as_ref()?;
        Some(bias.slice(s![from.min(bias.len())..to.min(bias.len())]))
    };
    let dtype = query.dtype();
    let heads = |query, key, value| Heads {
        query,
        key,
        value,
        past: 0,
        dtype,
    };
    let Some(key) = call.optional_tensor(1)? else {
        let [mut q, mut k, mut v] = packed::<3>(call, query, count, "query")?;
        let width = q.dim().1 * q.dim().3;
        for (at, array) in [&mut q, &mut k, &mut v].into_iter().enumerate() {
            if let Some(bias) = part(at * width, (at + 1) * width) {
                add_to_heads(array, bias, "query")?;
            }
        }
        return Ok(heads(q, k, v));
    };
    let width = query.shape().last().copied().unwrap_or(0);
    let q = projected(call, query, count, part(0, width), "query")?;
    let Some(value) = call.optional_tensor(2)? else {
        let [mut k, mut v] = packed::<2>(call, key, count, "key")?;
        for (at, array) in [&mut k, &mut v].into_iter().enumerate() {
            if let Some(bias) = part((at + 1) * width, (at + 2) * width) {
                add_to_heads(array, bias, "key")?;
            }
        }
        return Ok(heads(q, k, v));
    };
    if key.rank() == 4 {
        return Ok(heads(q, of_rank_4(key, "key")?, of_rank_4(value, "value")?));
    }
    let values = value.shape().last().copied().unwrap_or(0);
    let k = projected(call, key, count, part(width, 2 * width), "key")?;
    let v = projected(call, value, count, part(2 * width, 2 * width + values), "value")?;
    Ok(heads(q, k, v))
}

/// A tensor of batch × sequence × heads × `COUNT` × size, taken apart.
fn packed<const COUNT: usize>(
    call: &Call<'_>,
    tensor: &Tensor,
    heads: usize,
    name: &str,
) -> Result<[Array4<f64>; COUNT], OpError> {
    call.reserve(tensor.shape(), onnx_tensor::DType::Double)?;
    let whole = widen(tensor)?.into_dimensionality::<Ix5>().ok();
    let whole = whole.filter(|whole| whole.dim().2 == heads && whole.dim().3 == COUNT);
    let whole = whole.ok_or_else(|| {
        OpError::invalid(format!(
            "packed `{name}` of shape {:?} must be B × S × {heads} × {COUNT} × H",
            tensor.shape()
        ))
    })?;
    Ok(std::array::from_fn(|at| {
        let part = whole.index_axis(Axis(3), at);
        part.permuted_axes([0, 2, 1, 3]).to_owned()
    }))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, evaluate};

    /// Queries of 0, so that all scores are equal; values 1, 2, 4.
    #[track_caller]
    fn check(inputs: &[Option<Tensor>], attributes: &[(&str, i64)], expected: &[f32]) {
        let tokens = |values: [f32; 3]| Tensor::new(&[1, 3, 1], values.to_vec()).expect("three tokens");
        let base = [tokens([0.0; 3]), tokens([0.0; 3]), tokens([1.0, 2.0, 4.0])];
        let mut attributes: Vec<_> = attributes
            .iter()
            .map(|&(name, value)| attribute(name, value))
            .collect();
        attributes.push(attribute("num_heads", 1));
        attributes.push(attribute("mask_filter_value", f32::NEG_INFINITY));
        let all: Vec<Option<Value>> = base
            .into_iter()
            .map(Some)
            .chain(inputs.iter().cloned())
            .map(|tensor| tensor.map(Value::from))
            .collect();
        let schema = &onnx_schema::versions("com.microsoft", "MultiHeadAttention")[0];
        let outputs = crate::frame::testing::evaluate_optional(schema, &all, &attributes).expect("a result");
        let y = outputs[0]
            .as_tensor()
            .and_then(|y| y.to_vec::<f32>().ok())
            .expect("floats");
        assert!(
            y.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5),
            "{y:?}, expected {expected:?}"
        );
    }

    /// By hand: means of the values that a query sees.
    #[test]
    fn masks() {
        let ints =
            |shape: &[usize], values: &[i32]| Some(Tensor::new(shape, values.to_vec()).expect("a mask"));
        let mean = 7.0 / 3.0;
        check(&[], &[], &[mean, mean, mean]);
        check(&[], &[("unidirectional", 1)], &[1.0, 1.5, mean]);
        check(&[None, ints(&[1], &[2])], &[], &[1.5, 1.5, 1.5]);
        check(&[None, ints(&[5], &[2, 0, 3, 0, 3])], &[], &[1.5, 1.5, 1.5]);
        check(&[None, ints(&[1, 3], &[1, 0, 1])], &[], &[2.5, 2.5, 2.5]);
        let each = ints(&[1, 3, 3], &[1, 0, 0, 0, 1, 0, 0, 1, 1]);
        check(&[None, each], &[], &[1.0, 2.0, 3.0]);
        let bias = Tensor::vector(vec![0.0_f32, 0.0, 10.0]);
        check(
            &[Some(bias)],
            &[("unidirectional", 1)],
            &[11.0, 11.5, mean + 10.0],
        );
    }

    #[test]
    fn packed_projections() {
        let qkv = Tensor::new(&[1, 2, 1, 3, 1], vec![0.0_f32, 0.0, 1.0, 0.0, 0.0, 3.0]).expect("two tokens");
        let outputs = evaluate(
            ("com.microsoft", "MultiHeadAttention", 1),
            &[qkv.into()],
            &[attribute("num_heads", 1)],
        );
        let outputs = outputs.expect("a result");
        let y = outputs[0].as_tensor().and_then(|y| y.to_vec::<f32>().ok());
        assert_eq!(y, Some(vec![2.0, 2.0]));
    }
}
