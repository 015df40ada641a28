//! GroupQueryAttention — attention in which groups of query heads share a key head, with a cache of past keys
//! and values, rotary embeddings, windows, soft caps and sinks.
//!
//! In f64, each output rounded once.
//!
//! Interpretation, as in ONNX Runtime for processors: `seqlens_k` + 1 is the number T of tokens of an entry
//! with the new ones; where the sequence has as many tokens as `total_sequence_length`, it is the first
//! prompt and nothing is past, otherwise T minus the new tokens are past. A query at position p sees the
//! keys below T from p − `local_window_size` + 1 to p. `present` has the greater of the lengths of past and
//! `total_sequence_length`; rows that no token fills are 0. `smooth_softmax` adds e⁰ to the sum of a row,
//! `head_sink` e to its value. `output_qk` has hidden elements of 0. In the first prompt the first position
//! counts on, as the text says. Quantized caches, windows of caches, normalised heads and padded chunks are
//! refused.

use ndarray::{Array4, ArrayView1, Axis, s};
use onnx_tensor::{DType, Tensor, Value};

use super::rotated::{Caches, rotate};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::nn::positive;
use crate::shared::heads;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("GroupQueryAttention", &[v(1, First, group_query_attention)]);

fn group_query_attention(call: &Call<'_>) -> Result<Outputs, OpError> {
    refuse(call)?;
    let [query, key, value] = read(call)?;
    let tokens = Tokens::read(call, query.dim().0, query.dim().2)?;
    let mut new = New { query, key, value };
    new.turn(call, &tokens)?;
    let (past_key, past_value) = (past(call, 3, &new.key)?, past(call, 4, &new.value)?);
    let length = tokens.total.max(past_key.dim().2);
    let key = tokens.appended(call, &past_key, &new.key, length)?;
    let value = tokens.appended(call, &past_value, &new.value, length)?;
    let dtype = call.dtype(0)?;
    let seen = |array: &Array4<f64>| array.slice(s![.., .., ..tokens.total, ..]).to_owned();
    let (output, qk) = attend(call, &tokens, &new.query, &seen(&key), &seen(&value))?;
    let cache = call.optional_tensor(3)?.map_or(dtype, Tensor::dtype);
    let outputs = [
        narrow(heads::pack(output)?, dtype)?,
        narrow(key.into_dyn(), cache)?,
        narrow(value.into_dyn(), cache)?,
        narrow(qk.into_dyn(), dtype)?,
    ];
    Ok(outputs
        .into_iter()
        .map(|tensor| Some(Value::from(tensor)))
        .collect())
}

/// Refuses what the reference does not have.
fn refuse(call: &Call<'_>) -> Result<(), OpError> {
    let quantized = |index| Ok::<_, OpError>(call.optional_tensor(index)?.is_some_and(|past| !is_real(past)));
    let unknown = [
        (quantized(3)? || quantized(4)?, "a quantized cache"),
        (call.optional(12).is_some(), "a quantized cache"),
        (
            call.optional(14).is_some() || call.optional(15).is_some(),
            "normalised heads",
        ),
        (call.optional(16).is_some(), "padded chunks"),
        (call.flag("sliding_window_cache")?, "windows of caches"),
    ];
    match unknown.iter().find(|(found, _)| *found) {
        Some((_, what)) => Err(OpError::undefined(*what)),
        None => Ok(()),
    }
}

fn is_real(tensor: &Tensor) -> bool {
    matches!(tensor.dtype(), DType::Float | DType::Float16 | DType::Bfloat16)
}

/// Queries, keys and values by heads; all three are in the first input if the second is omitted.
fn read(call: &Call<'_>) -> Result<[Array4<f64>; 3], OpError> {
    let (queries, shared) = (positive(call, "num_heads")?, positive(call, "kv_num_heads")?);
    let query = call.tensor(0)?;
    if let (Some(key), Some(value)) = (call.optional_tensor(1)?, call.optional_tensor(2)?) {
        return Ok([
            heads::unpack(call, query, queries, "query")?,
            heads::unpack(call, key, shared, "key")?,
            heads::unpack(call, value, shared, "value")?,
        ]);
    }
    let all = queries.saturating_add(shared.saturating_mul(2));
    let whole = heads::unpack(call, query, all, "query")?;
    let part = |from: usize, count: usize| whole.slice(s![.., from..from + count, .., ..]).to_owned();
    Ok([
        part(0, queries),
        part(queries, shared),
        part(queries + shared, shared),
    ])
}

/// The past keys or values; none if they are omitted.
fn past(call: &Call<'_>, index: usize, new: &Array4<f64>) -> Result<Array4<f64>, OpError> {
    let (batch, count, _, size) = new.dim();
    let Some(past) = call.optional_tensor(index)? else {
        return Ok(Array4::zeros((batch, count, 0, size)));
    };
    let past = heads::of_rank_4(past, "past")?;
    if (past.dim().0, past.dim().1, past.dim().3) == (batch, count, size) {
        Ok(past)
    } else {
        Err(OpError::invalid(format!(
            "past of shape {:?} does not fit new keys or values of shape {:?}",
            past.shape(),
            new.shape()
        )))
    }
}

/// The numbers of tokens of the entries of the batch.
struct Tokens {
    /// Those of the longest entry, with the new ones.
    total: usize,
    /// New tokens.
    new: usize,
    /// Whether nothing is past.
    first: bool,
    /// Those of each entry, with the new ones.
    known: Vec<usize>,
}

impl Tokens {
    fn read(call: &Call<'_>, batch: usize, new: usize) -> Result<Tokens, OpError> {
        let lengths = call.integers(5)?;
        let total = call.integers(6)?;
        let total = match total[..] {
            [total] => usize::try_from(total).ok(),
            _ => None,
        };
        let total = total.filter(|&total| total >= new);
        let total = total.ok_or_else(|| {
            OpError::invalid(format!(
                "`total_sequence_length` must be one number of at least {new} new tokens"
            ))
        })?;
        let first = total == new;
        let known = lengths.iter().map(|&length| {
            let known = usize::try_from(length.saturating_add(1)).ok();
            known.filter(|&known| (1..=total).contains(&known) && (first || known >= new))
        });
        let known: Option<Vec<usize>> = known.collect();
        match known {
            Some(known) if known.len() == batch => Ok(Tokens {
                total,
                new,
                first,
                known,
            }),
            _ => Err(OpError::invalid(format!(
                "`seqlens_k` {lengths:?} does not fit {batch} entries with {new} new of at most {total} tokens"
            ))),
        }
    }

    /// The number of tokens before the new ones.
    fn past(&self, image: usize) -> usize {
        if self.first {
            0
        } else {
            self.known[image] - self.new
        }
    }

    /// The past keys or values of each entry, then the new ones, then zeros.
    fn appended(
        &self,
        call: &Call<'_>,
        past: &Array4<f64>,
        new: &Array4<f64>,
        length: usize,
    ) -> Result<Array4<f64>, OpError> {
        let (batch, count, _, size) = new.dim();
        let shape = [batch, count, length, size];
        call.reserve(&shape, DType::Double)?;
        let mut result = Array4::zeros(shape);
        for image in 0..batch {
            let before = self.past(image);
            if before > past.dim().2 {
                return Err(OpError::invalid(format!(
                    "entry {image} has {before} past tokens, but the cache has {}",
                    past.dim().2
                )));
            }
            let mut entry = result.index_axis_mut(Axis(0), image);
            let old = past.slice(s![image, .., ..before, ..]);
            entry.slice_mut(s![.., ..before, ..]).assign(&old);
            let end = before + self.new;
            entry
                .slice_mut(s![.., before..end, ..])
                .assign(&new.index_axis(Axis(0), image));
        }
        Ok(result)
    }
}

/// New queries, keys and values.
struct New {
    query: Array4<f64>,
    key: Array4<f64>,
    value: Array4<f64>,
}

impl New {
    /// Rotates queries and keys by their positions.
    fn turn(&mut self, call: &Call<'_>, tokens: &Tokens) -> Result<(), OpError> {
        if call.optional_int("do_rotary")?.unwrap_or(0) == 0 {
            return Ok(());
        }
        let caches = Caches::read(call, 7, 8)?;
        let batch = tokens.known.len();
        let given = call.optional_integers(9)?;
        let mut positions = Vec::new();
        for image in 0..batch {
            for at in 0..tokens.new {
                positions.push(match &given {
                    None => (tokens.past(image) + at) as i64,
                    Some(given) if tokens.first => {
                        given.first().copied().unwrap_or(0).saturating_add(at as i64)
                    }
                    Some(given) => *given.get(image * tokens.new + at).ok_or_else(|| {
                        OpError::invalid("`position_ids` must have one position for each token")
                    })?,
                });
            }
        }
        let interleaved = call.optional_int("rotary_interleaved")?.unwrap_or(0) != 0;
        let angles = caches.select(&positions, (batch, tokens.new))?;
        rotate(&mut self.query, &angles, interleaved)?;
        rotate(&mut self.key, &angles, interleaved)
    }
}

/// The output, and the scores or probabilities that `qk_output` selects.
fn attend(
    call: &Call<'_>,
    tokens: &Tokens,
    query: &Array4<f64>,
    key: &Array4<f64>,
    value: &Array4<f64>,
) -> Result<(Array4<f64>, Array4<f64>), OpError> {
    heads::check(query, key, value)?;
    let dtype = call.dtype(0)?;
    let scale = match call.optional_float("scale")? {
        None | Some(0.0) => (query.dim().3 as f64).sqrt().recip(),
        Some(scale) => f64::from(scale),
    };
    let mut scores = heads::scores(call, query, key, scale, dtype)?;
    if let Some(cap) = call.optional_float("softcap")?.filter(|&cap| cap != 0.0) {
        let cap = f64::from(cap);
        scores.mapv_inplace(|score| cap * libm::tanh(score / cap));
    }
    super::attended::add_bias(call, 10, &mut scores)?;
    let visible = Visible::read(call)?;
    let sinks = Sinks::read(call, query.dim().1)?;
    let mut probabilities = scores.clone();
    for (image, head, row) in ndarray::indices((query.dim().0, query.dim().1, query.dim().2)) {
        let mut row_of = probabilities.slice_mut(s![image, head, row, ..]);
        for (at, score) in row_of.iter_mut().enumerate() {
            if !visible.at(tokens, image, row, at) {
                *score = f64::NEG_INFINITY;
            }
        }
        let weights = softmax(row_of.view(), sinks.of(head));
        row_of.assign(&ndarray::ArrayView1::from(&weights));
    }
    let output = heads::weighted(call, &probabilities, value, dtype)?;
    let qk = match call.optional_int("qk_output")?.unwrap_or(0) {
        0 => Array4::zeros((0, 0, 0, 0)),
        1 => hidden_as_zero(tokens, &visible, scores),
        2 => probabilities,
        other => {
            return Err(OpError::invalid(format!(
                "`qk_output` is {other}, expected 0, 1 or 2"
            )));
        }
    };
    Ok((output, qk))
}

fn hidden_as_zero(tokens: &Tokens, visible: &Visible, mut scores: Array4<f64>) -> Array4<f64> {
    for ((image, _, row, at), score) in scores.indexed_iter_mut() {
        if !visible.at(tokens, image, row, at) {
            *score = 0.0;
        }
    }
    scores
}

/// Which keys a query sees.
struct Visible {
    causal: bool,
    window: Option<usize>,
}

impl Visible {
    fn read(call: &Call<'_>) -> Result<Visible, OpError> {
        let causal = call.flag("causal")?;
        let window = match call.int("local_window_size")? {
            -1 => None,
            size @ 1.. if causal => usize::try_from(size).ok(),
            size => {
                return Err(OpError::invalid(format!(
                    "`local_window_size` {size} must be -1, or positive with `causal`"
                )));
            }
        };
        Ok(Visible { causal, window })
    }

    fn at(&self, tokens: &Tokens, image: usize, query: usize, key: usize) -> bool {
        let position = tokens.past(image) + query;
        key < tokens.known[image]
            && (!self.causal || key <= position)
            && self.window.is_none_or(|window| key + window > position)
    }
}

/// A term in the sum of the softmax of each head that belongs to no key.
enum Sinks {
    None,
    Smooth,
    Heads(Vec<f64>),
}

impl Sinks {
    fn read(call: &Call<'_>, count: usize) -> Result<Sinks, OpError> {
        if let Some(sinks) = call.optional_tensor(11)? {
            let values = widen(sinks)?;
            return if values.len() == count {
                Ok(Sinks::Heads(values.iter().copied().collect()))
            } else {
                Err(OpError::invalid(format!(
                    "`head_sink` has {} elements for {count} heads",
                    values.len()
                )))
            };
        }
        match call.int("smooth_softmax")? {
            1 => Ok(Sinks::Smooth),
            _ => Ok(Sinks::None),
        }
    }

    fn of(&self, head: usize) -> Option<f64> {
        match self {
            Sinks::None => None,
            Sinks::Smooth => Some(0.0),
            Sinks::Heads(values) => values.get(head).copied(),
        }
    }
}

/// Softmax of a row with an additional term; 0 for a row without a visible key.
fn softmax(row: ArrayView1<'_, f64>, sink: Option<f64>) -> Vec<f64> {
    let greatest = row.iter().copied().chain(sink).fold(f64::NEG_INFINITY, f64::max);
    if greatest == f64::NEG_INFINITY {
        return vec![0.0; row.len()];
    }
    let powers: Vec<f64> = row.iter().map(|score| libm::exp(score - greatest)).collect();
    let rest = sink.map_or(0.0, |sink| libm::exp(sink - greatest));
    let sum = powers.iter().sum::<f64>() + rest;
    powers.into_iter().map(|power| power / sum).collect()
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, evaluate_optional};

    fn tensor(shape: &[usize], values: &[f32]) -> Value {
        Tensor::new(shape, values.to_vec())
            .expect("the values fill the shape")
            .into()
    }

    fn number(value: i32) -> Value {
        Tensor::scalar(value).into()
    }

    fn lengths(values: &[i32]) -> Value {
        Tensor::vector(values.to_vec()).into()
    }

    /// Output and present values of one head of size 1.
    #[track_caller]
    fn check(inputs: &[Option<Value>], attributes: &[Attribute], expected: [&[f32]; 2]) {
        let schema = &onnx_schema::versions("com.microsoft", "GroupQueryAttention")[0];
        let heads = [attribute("num_heads", 1), attribute("kv_num_heads", 1)];
        let attributes = [&heads[..], attributes].concat();
        let outputs = evaluate_optional(schema, inputs, &attributes).expect("a result");
        for (at, expected) in [0, 2].into_iter().zip(expected) {
            let found = outputs[at]
                .as_tensor()
                .and_then(|y| y.to_vec::<f32>().ok())
                .expect("floats");
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
            assert!(
                near && found.len() == expected.len(),
                "{found:?}, expected {expected:?}"
            );
        }
    }

    /// Queries and keys are 0, so that outputs are means of the values 1, 2, 4 that a query sees.
    #[test]
    fn a_prompt() {
        let prompt = |extra: Option<Value>| {
            let zeros = || Some(tensor(&[1, 3, 1], &[0.0; 3]));
            let values = Some(tensor(&[1, 3, 1], &[1.0, 2.0, 4.0]));
            let mut inputs = vec![
                zeros(),
                zeros(),
                values,
                None,
                None,
                Some(lengths(&[2])),
                Some(number(3)),
            ];
            inputs.extend([None, None, None, None, extra]);
            inputs
        };
        let values: &[f32] = &[1.0, 2.0, 4.0];
        check(&prompt(None), &[], [&[1.0, 1.5, 7.0 / 3.0], values]);
        let window = [attribute("local_window_size", 2)];
        check(&prompt(None), &window, [&[1.0, 1.5, 3.0], values]);
        let smooth = [attribute("smooth_softmax", 1)];
        check(&prompt(None), &smooth, [&[0.5, 1.0, 1.75], values]);
        // e^ln 2 = 2 more in each sum.
        let sink = tensor(&[1], &[std::f32::consts::LN_2]);
        check(&prompt(Some(sink)), &[], [&[1.0 / 3.0, 0.75, 1.4], values]);
        let mut short = prompt(None);
        short[5] = Some(lengths(&[1]));
        check(&short, &[], [&[1.0, 1.5, 1.5], values]);
    }

    /// One new token behind 2 of 4 cached values.
    #[test]
    fn a_step() {
        let zero = || Some(tensor(&[1, 1, 1], &[0.0]));
        let past = |values: [f32; 4]| Some(tensor(&[1, 1, 4, 1], &values));
        let inputs = [
            zero(),
            zero(),
            Some(tensor(&[1, 1, 1], &[6.0])),
            past([0.0; 4]),
            past([1.0, 2.0, 4.0, 8.0]),
            Some(lengths(&[2])),
            Some(number(3)),
        ];
        check(&inputs, &[], [&[3.0], &[1.0, 2.0, 6.0, 0.0]]);
    }
}
