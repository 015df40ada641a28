//! Attention: scaled dot products of queries and keys, a mask, a softmax, and the product with the values.

use onnx_tensor::{DType, Tensor, Value};

use super::super::broadcast::{broadcast_shape, broadcast_strides};
use super::super::call::extent;
use super::super::fast::Fast;
use super::super::movement::{positions, reshape};
use super::super::numbers::{bools, floats, from_floats, rounded, sum};
use super::super::rules::Arguments;
use super::super::shaping::{concat, transpose};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::Each;

pub const ROWS: &[Row] = &[row("Attention", 23, Each(|known| known.attention()), attention)
    .fast(Fast::Attention)
    .requires(rule)];

/// The windows have a size or none, and lengths of the keys exclude a past: "This should not be used together
/// with `past_key` and `past_value` inputs or `present_key` and `present_value` outputs".
fn rule(node: &Arguments) -> Result<(), Problem> {
    for name in ["left_window_size", "right_window_size"] {
        if let Some(size) = node.attributes.find_int(name)?.filter(|&size| size < -1) {
            return invalid(format!(
                "`{name}` is {size}; it must be a size, or -1 for no limit"
            ));
        }
    }
    if !node.has(6) {
        return Ok(());
    }
    if node.has(4) || node.has(5) || node.wants(1) || node.wants(2) {
        return invalid("`nonpad_kv_seqlen` excludes past and present keys and values");
    }
    match (node.shape(0), node.shape(6)) {
        (Some(q), Some(lengths)) if Some(&lengths[..]) != q.get(..1) => invalid(format!(
            "`nonpad_kv_seqlen` has the shape {lengths:?} for queries of shape {q:?}; \
             it must have a length for each batch element"
        )),
        _ => Ok(()),
    }
}

/// Checks that queries, keys and values of shape `[batch, heads, sequence, size]` agree. Several heads of
/// queries can share a head of keys and values.
pub fn agree(q: &[usize], k: &[usize], v: &[usize]) -> Result<(), Problem> {
    let (&[batch, heads, _, size], &[_, shared, keys, _], &[.., value_size]) = (q, k, v) else {
        return invalid("queries, keys and values must have rank 4");
    };
    let fits = k == [batch, shared, keys, size] && v == [batch, shared, keys, value_size];
    if fits && (heads == shared || (shared > 0 && heads % shared == 0)) {
        Ok(())
    } else {
        invalid(format!(
            "queries of shape {q:?}, keys of shape {k:?} and values of shape {v:?} do not agree"
        ))
    }
}

/// Converts to `[batch, heads, sequence, size]`. An input of rank 3 has its heads concatenated in the last
/// axis.
fn split_heads(tensor: &Tensor, heads: Option<usize>) -> Result<Tensor, Problem> {
    match (tensor.shape(), heads) {
        ([_, _, _, _], _) => Ok(tensor.clone()),
        (&[batch, sequence, hidden], Some(heads)) if heads > 0 && hidden % heads == 0 => transpose(
            &reshape(tensor, &[batch, sequence, heads, hidden / heads])?,
            &[0, 2, 1, 3],
        ),
        _ => invalid("expected inputs of rank 4, or of rank 3 with the numbers of heads"),
    }
}

/// The summand of the scores: `[batch, heads, queries, keys]`.
struct Bias {
    values: Vec<f64>,
}

/// The extents of an attention.
struct Extents {
    batch: usize,
    heads: usize,
    queries: usize,
    keys: usize,
    size: usize,
    value_size: usize,
    /// The number of query heads that share a key head.
    shared: usize,
}

impl Extents {
    fn new(q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Extents, Problem> {
        agree(q.shape(), k.shape(), v.shape())?;
        let (&[batch, heads, queries, size], &[_, key_heads, keys, _], &[.., value_size]) =
            (q.shape(), k.shape(), v.shape())
        else {
            return invalid("queries, keys and values must have rank 4");
        };
        if key_heads == 0 {
            return invalid("there are no heads");
        }
        Ok(Extents {
            batch,
            heads,
            queries,
            keys,
            size,
            value_size,
            shared: heads / key_heads,
        })
    }

    fn scores(&self) -> [usize; 4] {
        [self.batch, self.heads, self.queries, self.keys]
    }
}

fn attention(call: &Call) -> Outcome {
    let heads = |name: &str| call.attributes.find_int(name)?.map(extent).transpose();
    let (q_heads, kv_heads) = (heads("q_num_heads")?, heads("kv_num_heads")?);
    let flat = call.tensor(0)?.rank() == 3;
    let q = split_heads(call.tensor(0)?, q_heads)?;
    let mut k = split_heads(call.tensor(1)?, kv_heads)?;
    let mut v = split_heads(call.tensor(2)?, kv_heads)?;
    let past = call
        .find_tensor(4)?
        .map_or(0, |past| past.shape().get(2).copied().unwrap_or(0));
    if let Some(past) = call.find_tensor(4)? {
        k = concat(&[past, &k], 2)?;
    }
    if let Some(past) = call.find_tensor(5)? {
        v = concat(&[past, &v], 2)?;
    }
    let extents = Extents::new(&q, &k, &v)?;
    let default = 1.0 / (extents.size as f64).sqrt();
    let scale = call.attributes.find_float("scale")?.map_or(default, f64::from);
    let bias = bias(call, &extents, past)?;
    let cap = f64::from(call.attributes.find_float("softcap")?.unwrap_or(0.0));
    let mode = match usize::try_from(call.attributes.int("qk_matmul_output_mode")?) {
        Ok(mode @ 0..4) => mode,
        _ => return invalid("qk_matmul_output_mode is not in the range 0 to 3"),
    };
    let precision = call.attributes.dtype("softmax_precision")?;
    let (q_values, k_values, v_values) = (floats(&q)?, floats(&k)?, floats(&v)?);
    let Extents {
        queries,
        keys,
        size,
        value_size,
        ..
    } = extents;
    let mut shown = Vec::with_capacity(if call.outputs > 3 { bias.values.len() } else { 0 });
    let mut result = Vec::with_capacity(extents.batch * extents.heads * queries * value_size);
    for head in 0..extents.batch * extents.heads {
        let shared = head / extents.shared;
        let (k, v) = (
            &k_values[shared * keys * size..][..keys * size],
            &v_values[shared * keys * value_size..][..keys * value_size],
        );
        for query in 0..queries {
            let line = &q_values[(head * queries + query) * size..][..size];
            let bias = &bias.values[(head * queries + query) * keys..][..keys];
            let score = |key: usize| {
                let dot = sum(line.iter().zip(&k[key * size..]).map(|(a, b)| a * b));
                dot * scale
            };
            let scores: Vec<f64> = (0..keys).map(score).collect();
            let capped: Vec<f64> = scores.iter().map(|&score| capped(score, cap)).collect();
            let biased: Vec<f64> = capped
                .iter()
                .zip(bias)
                .map(|(score, bias)| biased(*score, *bias, q.dtype()))
                .collect();
            let weights = weights(&biased, bias, precision)?;
            if call.outputs > 3 {
                shown.extend_from_slice([&scores, &capped, &biased, &weights][mode]);
            }
            for column in 0..value_size {
                let terms = (0..keys).map(|key| weights[key] * v[key * value_size + column]);
                result.push(sum(terms));
            }
        }
    }
    let shape = [extents.batch, extents.heads, queries, value_size];
    let mut y = from_floats(q.dtype(), &shape, result)?;
    if flat {
        let merged = [extents.batch, queries, extents.heads * value_size];
        y = reshape(&transpose(&y, &[0, 2, 1, 3])?, &merged)?;
    }
    let mut outputs = vec![Value::Tensor(y), Value::Tensor(k), Value::Tensor(v)];
    if call.outputs > 3 {
        outputs.push(Value::Tensor(from_floats(q.dtype(), &extents.scores(), shown)?));
    }
    outputs.truncate(call.outputs.max(1));
    Ok(outputs)
}

/// Adds a mask to a score. The sum is a float unless the type is double: a mask of -1e9 leaves no digit of
/// the score.
fn biased(score: f64, mask: f64, dtype: DType) -> f64 {
    let sum = score + mask;
    if mask == 0.0 || dtype == DType::Double {
        sum
    } else {
        f64::from(sum as f32)
    }
}

/// Applies the soft cap to a score; 0 means no cap.
fn capped(score: f64, cap: f64) -> f64 {
    if cap > 0.0 {
        cap * (score / cap).tanh()
    } else {
        score
    }
}

/// Returns the softmax of a line of scores, in the precision of the attribute. If every key is masked, all
/// weights are 0.
fn weights(scores: &[f64], bias: &[f64], precision: Option<DType>) -> Result<Vec<f64>, Problem> {
    if bias.iter().all(|&bias| bias == f64::NEG_INFINITY) {
        return Ok(vec![0.0; scores.len()]);
    }
    let precision = precision.unwrap_or(DType::Double);
    let mut line = rounded(precision, scores.to_vec())?;
    super::super::reduction::softmax_rows(&mut line);
    rounded(precision, line)
}

/// Combines mask, causality, windows and lengths of the keys.
fn bias(call: &Call, extents: &Extents, past: usize) -> Result<Bias, Problem> {
    let shape = extents.scores();
    let mut values = vec![0.0; super::super::call::count(&shape)?];
    if let Some(mask) = call.find_tensor(3)? {
        add_mask(call, &mut values, mask, extents)?;
    }
    let lengths = call.find_ints(6)?;
    let causal = call.attributes.flag("is_causal")?;
    let window = |name: &str| Ok::<_, Problem>(call.attributes.find_int(name)?.filter(|&size| size >= 0));
    let (left, right) = (window("left_window_size")?, window("right_window_size")?);
    for (at, value) in values.iter_mut().enumerate() {
        let (key, query) = (
            (at % extents.keys) as i64,
            (at / extents.keys % extents.queries) as i64,
        );
        let length = lengths
            .as_ref()
            .map(|lengths| lengths[at / (extents.keys * extents.queries * extents.heads)]);
        // Queries are at the end of the range of keys.
        let offset = length.map_or(past as i64, |length| length - extents.queries as i64);
        let ahead = key - (query + offset);
        let hidden = (causal && ahead > 0)
            || left.is_some_and(|left| -ahead > left)
            || right.is_some_and(|right| ahead > right)
            || length.is_some_and(|length| key >= length);
        if hidden {
            *value = f64::NEG_INFINITY;
        }
    }
    Ok(Bias { values })
}

/// Adds a mask. It may have fewer keys than the attention; the others are masked.
fn add_mask(call: &Call, values: &mut [f64], mask: &Tensor, extents: &Extents) -> Result<(), Problem> {
    let additive: Vec<f64> = match mask.dtype() {
        DType::Bool => bools(mask)?
            .into_iter()
            .map(|keep| if keep { 0.0 } else { f64::NEG_INFINITY })
            .collect(),
        _ => floats(mask)?,
    };
    let Some(&covered) = mask.shape().last() else {
        return invalid("the mask must not be a scalar");
    };
    // From since 24 on, a mask with fewer columns than keys is short, even if it has a single column.
    let covered = match call.since {
        ..24 => extents.keys,
        _ => covered.min(extents.keys),
    };
    let target = [extents.batch, extents.heads, extents.queries, covered];
    if broadcast_shape([mask.shape(), &target])? != target {
        return invalid(format!(
            "a mask of shape {:?} does not broadcast to {target:?}",
            mask.shape()
        ));
    }
    let read = positions(&target, &broadcast_strides(mask.shape(), &target), 0);
    let mut read = read.chunks(covered.max(1));
    for line in values.chunks_mut(extents.keys.max(1)) {
        let Some(places) = read.next() else { break };
        let (inside, beyond) = line.split_at_mut(covered);
        inside
            .iter_mut()
            .zip(places)
            .for_each(|(value, &at)| *value += additive[at]);
        beyond.fill(f64::NEG_INFINITY);
    }
    Ok(())
}
