//! Attention and its relatives.

use onnx_tensor::{DType, Tensor, ValueType};

use super::{Declaration, contrib, flag, int32, same, text};
use crate::{Domain, Draft, Made};

/// Scores that do not saturate the softmax.
const FACTOR: Domain = Domain::from(-1.5, 1.5);

pub(in super::super) const OPERATORS: &[Declaration] = &[
    contrib("Attention", attention),
    contrib("CausalConvWithState", |d| {
        let (batch, channels) = (1 + d.draws.below(2), 1 + d.draws.below(3));
        let (length, taps) = (1 + d.draws.below(4), 1 + d.draws.below(4));
        text(d, "activation", &["none", "silu", "swish"]);
        d.input(&[batch, channels, length], FACTOR)?;
        d.input(&[channels, 1, taps], FACTOR)?;
        d.optional("bias", &[channels], FACTOR)?;
        d.optional("past", &[batch, channels, taps - 1], FACTOR)?;
        results(d, 2)
    }),
    contrib("DecoderMaskedMultiHeadAttention", |d| {
        same(d, "QK", "T")?;
        let (batch, heads, size, past) = (
            1 + d.draws.below(2),
            1 + d.draws.below(2),
            4,
            1 + d.draws.below(3),
        );
        d.int("num_heads", heads as i64);
        for _ in 0..3 {
            d.input(&[batch, 1, heads * size], FACTOR)?;
        }
        mask(d, &[batch, past + 1])?;
        d.optional("bias of scores", &[1, heads, 1, past + 1], FACTOR)?;
        d.input(&[batch, heads, past, size], FACTOR)?;
        d.input(&[batch, heads, past, size], FACTOR)?;
        results(d, 3)
    }),
    contrib("GatedDeltaNet", delta_net),
    contrib("GroupQueryAttention", group_query),
    contrib("LinearAttention", |d| {
        same(d, "S", "T")?;
        let (batch, heads, tokens) = (1 + d.draws.below(2), 1 + d.draws.below(2), 1 + d.draws.below(4));
        let (size, values) = (1 + d.draws.below(3), 1 + d.draws.below(3));
        d.int("q_num_heads", heads as i64);
        d.int("kv_num_heads", heads as i64);
        let rule = text(d, "update_rule", &["linear", "gated", "delta", "gated_delta"]);
        d.scalar("scale", &[0.5]);
        d.input(&[batch, tokens, heads * size], FACTOR)?;
        d.input(&[batch, tokens, heads * size], FACTOR)?;
        d.input(&[batch, tokens, heads * values], FACTOR)?;
        d.optional("past", &[batch, heads, size, values], FACTOR)?;
        if rule.contains("gated") {
            d.input(&[batch, tokens, heads], Domain::from(-1.0, 0.0))?;
        } else {
            d.skip();
        }
        if rule.contains("delta") {
            d.input(&[batch, tokens, heads], Domain::PROBABILITY)?;
        }
        results(d, 2)
    }),
    contrib("MultiHeadAttention", multi_head),
    contrib("PackedAttention", |d| {
        only_int32(d)?;
        let (heads, size, width) = (1 + d.draws.below(2), 1 + d.draws.below(4), 1 + d.draws.below(4));
        let lengths = [1 + d.draws.below(3), 1 + d.draws.below(3)];
        let (tokens, longest) = (lengths[0] + lengths[1], lengths[0].max(lengths[1]));
        d.int("num_heads", heads as i64);
        d.scalar("scale", &[0.5]);
        d.input(&[tokens, width], FACTOR)?;
        d.input(&[width, 3 * heads * size], FACTOR)?;
        d.input(&[3 * heads * size], FACTOR)?;
        let offsets: Vec<usize> = (0..2 * longest).collect();
        int32(d, &[2, longest], &offsets)?;
        int32(d, &[3], &[0, lengths[0], tokens])?;
        d.optional("bias of scores", &[1, heads, longest, longest], FACTOR)?;
        Ok(())
    }),
    contrib("RotaryEmbedding", rotary),
];

fn only_int32(d: &Draft) -> Made {
    super::only(d, "M", DType::Int32)
}

/// Sets the first outputs.
fn results(d: &mut Draft, count: usize) -> Made {
    let types = (0..count).map(|position| d.output_dtype(position).map(ValueType::tensor));
    let types = types.collect::<Result<Vec<_>, _>>()?;
    d.results(types);
    Ok(())
}

/// Adds or omits a mask of zeros and ones.
fn mask(d: &mut Draft, shape: &[usize]) -> Made {
    if !d.whether("mask") {
        d.skip();
        return Ok(());
    }
    let count: usize = shape.iter().product();
    let numbers: Vec<usize> = (0..count).map(|_| d.draws.below(2)).collect();
    int32(d, shape, &numbers)
}

fn attention(d: &mut Draft) -> Made {
    let (batch, tokens, heads, size) = (
        2,
        1 + d.draws.below(4),
        1 + d.draws.below(2),
        1 + d.draws.below(4),
    );
    let (width, hidden) = (1 + d.draws.below(4), heads * size);
    d.int("num_heads", heads as i64);
    flag(d, "unidirectional");
    d.scalar("scale", &[0.5]);
    let past = if d.whether("past") { 2 } else { 0 };
    d.input(&[batch, tokens, width], FACTOR)?;
    d.input(&[width, 3 * hidden], FACTOR)?;
    d.optional("bias", &[3 * hidden], FACTOR)?;
    match d.pick("mask form", &["keys", "each query", "lengths", "ends"]) {
        "each query" => mask(d, &[batch, tokens, tokens + past])?,
        "lengths" => int32(d, &[batch], &[1, tokens])?,
        "ends" => int32(d, &[2 * batch], &[tokens, tokens + past, 0, 1])?,
        _ => mask(d, &[batch, tokens + past])?,
    }
    if past > 0 {
        d.input(&[2, batch, heads, past, size], FACTOR)?;
        d.skip();
        return results(d, 2);
    }
    d.skip();
    d.optional("bias of scores", &[1, heads, tokens, tokens], FACTOR)?;
    results(d, 1)
}

fn multi_head(d: &mut Draft) -> Made {
    same(d, "QK", "T")?;
    let (batch, queries, keys) = (1 + d.draws.below(2), 1 + d.draws.below(4), 1 + d.draws.below(4));
    let (heads, size) = (1 + d.draws.below(2), 1 + d.draws.below(4));
    d.int("num_heads", heads as i64);
    d.scalar("scale", &[0.5]);
    let past = if d.whether("past") { 2 } else { 0 };
    d.input(&[batch, queries, heads * size], FACTOR)?;
    let keys = if past > 0 { queries } else { keys };
    d.input(&[batch, keys, heads * size], FACTOR)?;
    d.input(&[batch, keys, heads * size], FACTOR)?;
    d.optional("bias", &[3 * heads * size], FACTOR)?;
    match d.pick("mask form", &["keys", "each query", "lengths"]) {
        "each query" => mask(d, &[batch, queries, keys + past])?,
        "lengths" => {
            let lengths: Vec<usize> = (0..batch).map(|_| 1 + d.draws.below(keys + past)).collect();
            int32(d, &[batch], &lengths)?;
        }
        _ => mask(d, &[batch, keys + past])?,
    }
    d.optional("bias of scores", &[1, heads, queries, keys + past], FACTOR)?;
    if past > 0 {
        flag(d, "unidirectional");
        d.input(&[batch, heads, past, size], FACTOR)?;
        d.input(&[batch, heads, past, size], FACTOR)?;
        return results(d, 3);
    }
    results(d, 1)
}

/// A prompt, or a step behind a cache, whose size is a multiple of 16, as ONNX Runtime requires.
fn group_query(d: &mut Draft) -> Made {
    same(d, "T_CACHE", "T")?;
    let (batch, shared, group) = (1 + d.draws.below(2), 1 + d.draws.below(2), 1 + d.draws.below(2));
    let (heads, size) = (shared * group, 16);
    let step = d.pick("form", &["prompt", "step"]) == "step";
    let (new, past) = if step {
        (1, 2 + d.draws.below(3))
    } else {
        (1 + d.draws.below(4), 0)
    };
    let total = new + past;
    d.int("num_heads", heads as i64);
    d.int("kv_num_heads", shared as i64);
    d.scalar("scale", &[0.5]);
    d.scalar("softcap", &[2.0]);
    if d.pick("window", &["absent", "two"]) == "two" {
        d.int("local_window_size", 2);
    }
    let rotary = flag(d, "do_rotary");
    if rotary {
        flag(d, "rotary_interleaved");
    }
    d.input(&[batch, new, heads * size], FACTOR)?;
    d.input(&[batch, new, shared * size], FACTOR)?;
    d.input(&[batch, new, shared * size], FACTOR)?;
    d.input(&[batch, shared, past, size], FACTOR)?;
    d.input(&[batch, shared, past, size], FACTOR)?;
    // Of a step, the second entry has fewer tokens.
    let lengths: Vec<usize> = (0..batch)
        .map(|entry| total - 1 - if step { entry } else { 0 })
        .collect();
    int32(d, &[batch], &lengths)?;
    int32(d, &[], &[total])?;
    if rotary {
        d.input(&[total, size / 2], Domain::UNIT)?;
        d.input(&[total, size / 2], Domain::UNIT)?;
    } else {
        d.skip();
        d.skip();
    }
    d.skip();
    d.skip();
    d.optional("sinks", &[heads], FACTOR)?;
    results(d, 3)
}

fn rotary(d: &mut Draft) -> Made {
    let (batch, heads, tokens) = (1 + d.draws.below(2), 1 + d.draws.below(3), 1 + d.draws.below(3));
    let size = 2 * (1 + d.draws.below(4));
    flag(d, "interleaved");
    match d.pick("rank", &["3", "4"]) {
        "4" => d.input(&[batch, heads, tokens, size], FACTOR)?,
        _ => d.input(&[batch, tokens, heads * size], FACTOR)?,
    };
    match d.pick("positions", &["first", "each"]) {
        "each" => {
            let positions: Vec<i64> = (0..batch * tokens).map(|_| d.draws.below(5) as i64).collect();
            d.give(Tensor::new(&[batch, tokens], positions)?);
        }
        _ => d.give(Tensor::vector(vec![2_i64])),
    }
    d.input(&[5, size / 2], Domain::UNIT)?;
    d.input(&[5, size / 2], Domain::UNIT)?;
    Ok(())
}

/// Two sequences, of one length or packed.
fn delta_net(d: &mut Draft) -> Made {
    let gates = d.dtype("TG")?;
    d.require(
        gates == DType::Float || gates == d.dtype("T")?,
        "gates are floats, or of the type of the query",
    )?;
    let (readers, group, size, values) = (
        1 + d.draws.below(2),
        1 + d.draws.below(2),
        1 + d.draws.below(3),
        2,
    );
    let (length, heads) = (1 + d.draws.below(3), readers * group);
    let tokens = 2 * length;
    let rule = text(d, "update_rule", &["linear", "gated", "delta", "gated_delta"]);
    d.scalar("scale", &[0.5]);
    flag(d, "qk_l2_norm");
    let unit = Domain::from(-1.0, 1.0).without_zero();
    d.input(&[tokens, readers, size], unit)?;
    d.input(&[tokens, readers, size], unit)?;
    d.input(&[tokens, heads, values], FACTOR)?;
    match d.pick("packing", &["uniform", "ragged"]) {
        "ragged" => int32(d, &[3], &[0, 1, tokens])?,
        _ => d.skip(),
    }
    if rule.contains("gated") {
        let each = d.pick("decay", &["head", "key"]) == "key";
        let shape = if each {
            vec![tokens, heads, size]
        } else {
            vec![tokens, heads]
        };
        d.input(&shape, Domain::from(-1.0, 0.0))?;
    } else {
        d.skip();
    }
    if rule.contains("delta") {
        d.input(&[tokens, heads], Domain::PROBABILITY)?;
    } else {
        d.skip();
    }
    d.input(&[2, heads, values, size], FACTOR)?;
    results(d, 2)
}
