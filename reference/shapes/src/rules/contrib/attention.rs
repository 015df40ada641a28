//! Attention over dense tensors: of merged weights, over several heads, with groups of query heads.

use super::super::attention::positions;
use super::super::windows::positive;
use super::super::{Row, attention as standard, row};
use super::vector;
use crate::call::{Call, one};
use crate::extent::{Compared, Expr, Operation};
use crate::fact::Fact;
use crate::finding::{Outcome, Stop, known};

pub(super) const ROWS: &[Row] = &[
    row("Attention", 1, |call| merged(call, 2, Some(4))),
    row("DecoderMaskedMultiHeadAttention", 1, |call| {
        multi_head(call, 10, [5, 6])
    }),
    row("DecoderMaskedSelfAttention", 1, |call| merged(call, 2, Some(4))),
    row("GroupQueryAttention", 1, group_query),
    row("LinearAttention", 1, |call| {
        // ONNX has neither more key heads than query heads nor windows of states.
        if call.int("kv_num_heads") <= call.int("q_num_heads") && !call.flag("state_window") {
            standard::linear_attention(call)
        } else {
            Err(Stop::Unknown)
        }
    }),
    row("LongformerAttention", 1, |call| one(call.shape(0)?)),
    row("MRotaryEmbedding", 1, |call| one(call.shape(0)?)),
    row("MultiHeadAttention", 1, |call| multi_head(call, 3, [6, 7])),
    row("QAttention", 1, |call| merged(call, 2, Some(8))),
    row("QOrderedLongformerAttention", 1, |call| one(call.shape(0)?)),
    row("RelativePositionBias", 1, relative_position_bias),
    row("RotaryEmbedding", 1, rotary_embedding),
];

/// A bias at an input broadcasts over batch and heads of the scores. A shared buffer has more keys.
fn bias_of_scores(call: &mut Call<'_, '_>, at: usize, scores: &[Expr; 4]) -> Outcome<()> {
    let Some(bias) = known(call.ranked::<4>(at))? else {
        return Ok(());
    };
    call.broadcast_to(&scores[..2], &bias[..2])?;
    call.equal(&bias[2], &scores[2], "rows of the bias and queries,")?;
    if !call.flag("past_present_share_buffer") {
        call.equal(&bias[3], &scores[3], "columns of the bias and keys,")?;
    }
    Ok(())
}

/// Heads of a width: the size of each.
fn sized(call: &mut Call<'_, '_>, width: &Expr, heads: &Expr) -> Outcome<Expr> {
    call.multiple(width, heads, "the width of all heads")
}

/// The widths of queries, keys and values in merged weights with this many columns.
pub(super) fn widths(call: &mut Call<'_, '_>, columns: &Expr) -> Outcome<[Expr; 3]> {
    match call.ints("qkv_hidden_sizes").as_deref() {
        Some(&[q, k, v]) => {
            let sizes = [q, k, v].map(Expr::from);
            let total = call.sum(&sizes);
            call.equal(
                &total,
                columns,
                "sum of `qkv_hidden_sizes` and columns of the weights,",
            )?;
            Ok(sizes)
        }
        _ => {
            let width = call.multiple(columns, &3.into(), "columns of queries, keys and values")?;
            Ok([width.clone(), width.clone(), width])
        }
    }
}

/// Attention of the projections of the input by merged weights. Present has past and new keys and values.
fn merged(call: &mut Call<'_, '_>, bias: usize, past: Option<usize>) -> Outcome<Vec<Fact>> {
    let [batch, tokens, width] = call.ranked::<3>(0)?;
    let [rows, columns] = call.ranked::<2>(1)?;
    call.equal(&width, &rows, "inner extents")?;
    vector(
        call,
        bias,
        &columns,
        "elements of the bias and columns of the weights,",
    )?;
    let heads: Expr = positive(call, "num_heads")?.into();
    let [_, k, v] = widths(call, &columns)?;
    let size = sized(call, &k, &heads)?;
    sized(call, &v, &heads)?;
    let result = Fact::of(vec![batch.clone(), tokens.clone(), v]);
    let mut length = tokens.clone();
    if let Some(at) = past.filter(|&at| call.given(at)) {
        match known(call.ranked::<5>(at))? {
            Some([two, batches, count, before, also]) => {
                call.equal(&two, &2.into(), "keys and values, and 2,")?;
                call.equal(&batches, &batch, "batches of past and present")?;
                call.equal(&count, &heads, "heads of past and present")?;
                call.equal(&also, &size, "sizes of the heads of past and present")?;
                length = if call.flag("past_present_share_buffer") {
                    before
                } else {
                    call.add(&before, &length)
                };
            }
            None => length = call.unknown(),
        }
    }
    if call.schema.name != "QAttention" {
        bias_of_scores(call, 5, &[batch.clone(), heads.clone(), tokens, length.clone()])?;
    }
    let present = Fact::of(vec![2.into(), batch, heads, length, size]);
    Ok(vec![result, present])
}

/// Keys or values of B × L × (N · H), B × N × L × H or packed: length and size of a head.
fn keys(call: &mut Call<'_, '_>, at: usize, [batch, heads]: [&Expr; 2]) -> Outcome<[Expr; 2]> {
    match call.rank(at).ok_or(Stop::Unknown)? {
        3 => {
            let [batches, length, width] = call.ranked::<3>(at)?;
            call.equal(&batches, batch, "batches of query and key")?;
            Ok([length, sized(call, &width, heads)?])
        }
        4 => {
            let [batches, count, length, size] = call.ranked::<4>(at)?;
            call.equal(&batches, batch, "batches of query and key")?;
            call.equal(&count, heads, "heads")?;
            Ok([length, size])
        }
        5 => {
            let [batches, length, count, _, size] = call.ranked::<5>(at)?;
            call.equal(&batches, batch, "batches of query and key")?;
            call.equal(&count, heads, "heads")?;
            Ok([length, size])
        }
        rank => call.wrong_rank(at, rank, "3, 4 or 5"),
    }
}

/// Attention over queries, keys and values that are projected already, in each of their layouts. Present has
/// past and new keys and values, and `qk` has the scores.
fn multi_head(call: &mut Call<'_, '_>, bias: usize, past: [usize; 2]) -> Outcome<Vec<Fact>> {
    let heads: Expr = positive(call, "num_heads")?.into();
    let (batch, tokens, size) = match call.rank(0).ok_or(Stop::Unknown)? {
        3 => {
            let [batch, tokens, width] = call.ranked::<3>(0)?;
            (batch, tokens, sized(call, &width, &heads)?)
        }
        5 => {
            let [batch, tokens, count, three, size] = call.ranked::<5>(0)?;
            call.equal(&count, &heads, "heads")?;
            call.equal(&three, &3.into(), "queries, keys and values, and 3,")?;
            (batch, tokens, size)
        }
        rank => return call.wrong_rank(0, rank, "3 or 5"),
    };
    let (key, value) = match (call.given(1), call.given(2)) {
        (false, _) => ([tokens.clone(), size.clone()], [tokens.clone(), size.clone()]),
        (true, given) => {
            let key = keys(call, 1, [&batch, &heads])?;
            let value = if given {
                keys(call, 2, [&batch, &heads])?
            } else {
                key.clone()
            };
            call.equal(&key[1], &size, "sizes of the heads of query and key")?;
            call.equal(&key[0], &value[0], "tokens of key and value")?;
            (key, value)
        }
    };
    if let Some(found) = known(call.length(bias))? {
        let parts = [size.clone(), size.clone(), value[1].clone()];
        let total = call.sum(&parts);
        let expected = call.mul(&total, &heads);
        // Keys of four axes are projected with their bias already.
        if call.rank(1) != Some(4) {
            call.equal(
                &found,
                &expected,
                "elements of the bias and widths of all projections,",
            )?;
        }
    }
    let mut present = Vec::with_capacity(2);
    for (at, [length, size]) in past.into_iter().zip([&key, &value]) {
        let length = with_past(call, at, [&batch, &heads, length, size])?;
        present.push(vec![batch.clone(), heads.clone(), length, size.clone()]);
    }
    let width = call.mul(&heads, &value[1]);
    let scores = [batch.clone(), heads, tokens.clone(), present[0][2].clone()];
    let shared = call.schema.name == "MultiHeadAttention" && call.given(8);
    if !shared {
        bias_of_scores(call, if bias == 3 { 5 } else { 4 }, &scores)?;
    }
    let scores = scores.to_vec();
    let result = vec![batch, tokens, width];
    Ok([&[result], &present[..], &[scores]]
        .concat()
        .into_iter()
        .map(Fact::of)
        .collect())
}

/// The number of keys with those of the past at an input, which has their other extents.
fn with_past(call: &mut Call<'_, '_>, at: usize, [batch, heads, length, size]: [&Expr; 4]) -> Outcome<Expr> {
    if !call.given(at) {
        return Ok(length.clone());
    }
    let Some([batches, count, before, also]) = known(call.ranked::<4>(at))? else {
        return Ok(call.unknown());
    };
    call.equal(&batches, batch, "batches of past and present")?;
    call.equal(&count, heads, "heads of past and present")?;
    call.equal(&also, size, "sizes of the heads of past and present")?;
    // A buffer that past and present share has its length already.
    let shared =
        call.flag("past_present_share_buffer") || call.schema.name == "MultiHeadAttention" && call.given(8);
    Ok(if shared { before } else { call.add(&before, length) })
}

/// Queries and, in the same tensor if they are not given apart, keys and values.
fn group_query(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let (queries, shared) = (positive(call, "num_heads")?, positive(call, "kv_num_heads")?);
    let [heads, kv]: [Expr; 2] = [queries.into(), shared.into()];
    call.multiple(&heads, &kv, "heads of the query")?;
    let [batch, tokens, width] = call.ranked::<3>(0)?;
    let (size, values) = if call.given(1) {
        let size = sized(call, &width, &heads)?;
        let [length, of_key] = keys(call, 1, [&batch, &kv])?;
        call.equal(&length, &tokens, "tokens of query and key")?;
        call.equal(&of_key, &size, "sizes of the heads of query and key")?;
        let [_, of_value] = keys(call, 2, [&batch, &kv])?;
        (size, of_value)
    } else {
        let all = queries.saturating_add(shared.saturating_mul(2));
        let size = sized(call, &width, &all.into())?;
        (size.clone(), size)
    };
    vector(call, 5, &batch, "elements of `seqlens_k` and batch,")?;
    let total = match known(call.only(6))? {
        Some(total) => total,
        None => call.unknown(),
    };
    call.at_least(&total, &tokens, "`total_sequence_length`")?;
    last_tokens(call, &tokens, &total)?;
    let mut present = Vec::with_capacity(2);
    for (at, size) in [(3, &size), (4, &values)] {
        present.push(cache(call, at, [&batch, &kv, size], [&tokens, &total])?);
    }
    if let Some(columns) = known(call.ranked::<2>(7))? {
        let half = call.mul(&columns[1], &2.into());
        call.at_least(&size, &half, "the size of a head")?;
        if let Some(sines) = known(call.ranked::<2>(8))? {
            call.same_shape(&sines, &columns, "extents of the caches")?;
        }
    }
    let result = call.mul(&heads, &values);
    let scores = match call.int("qk_output") {
        Some(1 | 2) => Fact::of(vec![batch.clone(), heads, tokens.clone(), total]),
        _ => Fact::Unknown,
    };
    let result = Fact::of(vec![batch, tokens, result]);
    Ok([&[result], &present[..], &[scores]].concat())
}

/// `seqlens_k` has the last token of each entry; where nothing is past, an entry may be shorter.
fn last_tokens(call: &mut Call<'_, '_>, tokens: &Expr, total: &Expr) -> Outcome<()> {
    let least = match call.state.symbols.compare(tokens, total) {
        Compared::Equal => Expr::from(0),
        Compared::Open | Compared::Different => call.sub(tokens, &1.into()),
    };
    call.indices(5, &least, total)
}

/// Past and present keys or values: as long as the longer of the past and of all tokens.
fn cache(
    call: &mut Call<'_, '_>,
    at: usize,
    [batch, heads, size]: [&Expr; 3],
    [tokens, total]: [&Expr; 2],
) -> Outcome<Fact> {
    if !call.given(at) {
        let shape = [batch, heads, total, size].map(Expr::clone);
        return Ok(Fact::of(shape.to_vec()));
    }
    let Some([batches, count, before, stored]) = known(call.ranked::<4>(at))? else {
        return Ok(Fact::Unknown);
    };
    call.equal(&batches, batch, "batches of past and present")?;
    call.equal(&count, heads, "heads of past and present")?;
    // Quantized caches may pack elements, and windows of caches drop some.
    if call.dtype(at) != call.dtype(0) || call.flag("sliding_window_cache") {
        let length = call.unknown();
        return Ok(Fact::of(vec![batches, count, length, stored]));
    }
    call.equal(&stored, size, "sizes of the heads of past and present")?;
    let all = call.add(&before, tokens);
    call.prefer("tokens of the past", all, total.clone());
    let length = call.apply(Operation::Max, [before, total.clone()]);
    Ok(Fact::of(vec![batch.clone(), heads.clone(), length, stored]))
}

/// The caches have half of what rotates. The positions count from one number, or are given for each token.
fn rotary_embedding(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.shape(0)?;
    let (batch, tokens) = match x.as_slice() {
        [batch, tokens, _] | [batch, _, tokens, _] => (batch.clone(), tokens.clone()),
        _ => return call.wrong_rank(0, x.len(), "3 or 4"),
    };
    if let Some([rows, half]) = known(call.ranked::<2>(2))? {
        let rotated = call.mul(&half, &2.into());
        match (x.len(), call.int("rotary_embedding_dim").unwrap_or(0)) {
            (3, 0) => drop(call.multiple(&x[2], &rotated, "the width of all heads")?),
            (4, 0) => drop(call.equal(&x[3], &rotated, "the size of a head and of a rotation,")?),
            (_, stated) => drop(call.equal(
                &rotated,
                &stated.into(),
                "columns of a cache, twice, and `rotary_embedding_dim`,",
            )?),
        }
        match call.rank(1) {
            Some(2) => call.indices(1, &0.into(), &rows)?,
            _ => call.at_least(&rows, &tokens, "the number of positions")?,
        }
        if let Some(sines) = known(call.shape(3))? {
            call.same_shape(&sines, &[rows, half], "extents of the caches")?;
        }
    }
    if call.rank(1) == Some(2) && !call.flag("is_packed_batching") {
        positions(call, 1, [batch, tokens])?;
    }
    one(x)
}

/// A bias for each head, query and key.
fn relative_position_bias(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let [_, heads] = call.ranked::<2>(0)?;
    let mut length = |at: usize| -> Outcome<Expr> {
        Ok(match known(call.only(at))? {
            Some(length) => length,
            None => call.unknown(),
        })
    };
    let (queries, keys) = (length(1)?, length(2)?);
    one(vec![1.into(), heads, queries, keys])
}
