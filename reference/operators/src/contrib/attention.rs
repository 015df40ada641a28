//! Attention (`com.microsoft`) — self-attention of the projections of the input by merged weights, with a
//! mask, a bias of scores and past keys and values.
//!
//! In f64, each output rounded once; the projections are not rounded in between. Interpretation: masks as in
//! MultiHeadAttention; a mask of 2B has exclusive ends, then inclusive starts. Rotary embeddings have no
//! caches here, and a shared buffer is not a value: both are refused.

use ndarray::{Array2, Array4, Ix2, Ix3, s};
use onnx_tensor::DType;

use super::attended::{Heads, add_bias, add_mask, add_projection_bias, causal, past_pair, present_pair};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::nn::positive;
use crate::shared::matrix_product::product_in_f64;
use crate::shared::reals::widen;

pub const OP: OpDef = contrib("Attention", &[v(1, First, attention)]);

fn attention(call: &Call<'_>) -> Result<Outputs, OpError> {
    let dtype = call.dtype(0)?;
    let input = widen(call.tensor(0)?)?;
    let weights = widen(call.tensor(1)?)?.into_dimensionality::<Ix2>()?;
    let input = input.into_dimensionality::<Ix3>().map_err(|_| rank())?;
    let (batch, sequence, width) = input.dim();
    let rows = input.as_standard_layout().into_owned();
    let rows = rows.into_shape_with_order((batch * sequence, width))?;
    let projected = project(call, &rows, &weights, 2)?;
    let sizes = sizes(call, weights.ncols())?;
    let heads = split(call, &projected, (batch, sequence), sizes, dtype)?;
    attend(
        call,
        heads,
        Places {
            mask: 3,
            past: 4,
            bias: Some(5),
        },
    )
}

/// The product of rows and weights, plus the bias at input `bias`.
pub fn project(
    call: &Call<'_>,
    rows: &Array2<f64>,
    weights: &Array2<f64>,
    bias: usize,
) -> Result<Array2<f64>, OpError> {
    let dtype = call.dtype(0)?;
    call.reserve(&[rows.nrows(), weights.ncols()], DType::Double)?;
    call.products(dtype, &[rows.nrows(), weights.ncols(), rows.ncols()])?;
    let mut projected = product_in_f64(&rows.view(), &weights.view(), dtype)?;
    add_projection_bias(call, bias, &mut projected)?;
    Ok(projected)
}

/// The positions of the optional inputs.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    pub mask: usize,
    /// Past keys and values.
    pub past: usize,
    /// The bias of scores.
    pub bias: Option<usize>,
}

/// The outputs of projected queries, keys and values.
pub fn attend(call: &Call<'_>, mut heads: Heads, places: Places) -> Result<Outputs, OpError> {
    for name in ["do_rotary", "past_present_share_buffer"] {
        if call.optional_int(name)?.unwrap_or(0) != 0 {
            return Err(OpError::undefined(format!("`{name}`")));
        }
    }
    if let Some(past) = call.optional_tensor(places.past)? {
        let (key, value) = past_pair(past)?;
        heads.behind(&key, &value)?;
    }
    let mut scores = heads.scores(call)?;
    if call.flag("unidirectional")? {
        causal(&mut scores, heads.past);
    }
    add_mask(call, places.mask, &mut scores)?;
    if let Some(bias) = places.bias {
        add_bias(call, bias, &mut scores)?;
    }
    let present = if call.wants(1) {
        Some(present_pair(&heads)?)
    } else {
        None
    };
    Ok(vec![Some(heads.output(call, scores)?), present])
}

/// Projections of width q + k + v as heads.
pub fn split(
    call: &Call<'_>,
    projected: &Array2<f64>,
    (batch, sequence): (usize, usize),
    [query, key, value]: [usize; 3],
    dtype: DType,
) -> Result<Heads, OpError> {
    let count = positive(call, "num_heads")?;
    let part = |from: usize, width: usize| -> Result<Array4<f64>, OpError> {
        if !width.is_multiple_of(count) {
            return Err(OpError::invalid(format!(
                "a width of {width} is not divisible into {count} heads"
            )));
        }
        let part = projected.slice(s![.., from..from + width]).to_owned();
        let split = part.into_shape_with_order((batch, sequence, count, width / count))?;
        Ok(split.permuted_axes([0, 2, 1, 3]))
    };
    Ok(Heads {
        query: part(0, query)?,
        key: part(query, key)?,
        value: part(query + key, value)?,
        past: 0,
        dtype,
    })
}

/// The widths of queries, keys and values.
pub fn sizes(call: &Call<'_>, width: usize) -> Result<[usize; 3], OpError> {
    let misfit = |sizes: &[i64]| {
        OpError::invalid(format!(
            "`qkv_hidden_sizes` {sizes:?} do not fit weights with {width} columns"
        ))
    };
    let Some(sizes) = call.optional_ints("qkv_hidden_sizes")? else {
        return match width % 3 {
            0 => Ok([width / 3; 3]),
            _ => Err(misfit(&[])),
        };
    };
    let known: Option<Vec<usize>> = sizes.iter().map(|&size| usize::try_from(size).ok()).collect();
    match known.as_deref() {
        Some(&[q, k, v]) if q.checked_add(k).and_then(|sum| sum.checked_add(v)) == Some(width) => {
            Ok([q, k, v])
        }
        _ => Err(misfit(&sizes)),
    }
}

fn rank() -> OpError {
    OpError::invalid("the input must have rank 3")
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, evaluate, rows};

    /// Weights that make queries and keys 0 and copy the input as the value: means of what a query sees, the
    /// past value 9 included.
    #[test]
    fn past_and_later_tokens() {
        let under = ("com.microsoft", "Attention", 1);
        let tokens = |values: [f32; 3]| -> Value {
            Tensor::new(&[1, 3, 1], values.to_vec())
                .expect("three tokens")
                .into()
        };
        let inputs = [
            tokens([1.0, 2.0, 4.0]),
            rows(&[[0.0_f32, 0.0, 1.0]]).into(),
            Tensor::vector(vec![0.0_f32; 3]).into(),
        ];
        let heads = attribute("num_heads", 1);
        let one_way = [heads.clone(), attribute("unidirectional", 1)];
        let first = |attributes: &[onnx_model::Attribute]| {
            evaluate(under, &inputs, attributes).expect("a result").remove(0)
        };
        let shown = |value: Value| {
            value
                .as_tensor()
                .and_then(|y| y.to_vec::<f32>().ok())
                .expect("floats")
        };
        assert_eq!(shown(first(&one_way)), [1.0, 1.5, 7.0 / 3.0]);
        let ends = Tensor::vector(vec![3_i32, 1]).into();
        let infinite = [heads, attribute("mask_filter_value", f32::NEG_INFINITY)];
        let masked = [&inputs[..], &[ends]].concat();
        let present = Tensor::new(&[2, 1, 1, 3, 1], vec![0.0_f32, 0.0, 0.0, 1.0, 2.0, 4.0]).expect("six");
        check(under, &masked, &infinite, &[tokens([3.0; 3]), present.into()]);
    }
}
