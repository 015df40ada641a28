//! Attention and related operators.

use onnx_tensor::{DType, Tensor, ValueType};

use super::{Declaration, of};
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("Attention", attention),
    Declaration {
        domain: "ai.onnx.preview",
        operator: "FlexAttention",
        build: flexible,
    },
    of("LinearAttention", linear),
    of("RotaryEmbedding", rotary),
];

/// Scores that do not saturate the softmax.
const FACTOR: Domain = Domain::from(-1.5, 1.5);

/// Batch, number of query and key heads, number of query and key tokens, sizes of keys and values.
struct Extents {
    batch: usize,
    query_heads: usize,
    key_heads: usize,
    queries: usize,
    keys: usize,
    size: usize,
    value_size: usize,
}

fn extents(d: &mut Draft) -> Extents {
    let key_heads = 1 + d.draws.below(2);
    let shared = match d.pick("heads", &["equal", "grouped"]) {
        "grouped" => 2,
        _ => 1,
    };
    Extents {
        batch: 1 + d.draws.below(2),
        query_heads: key_heads * shared,
        key_heads,
        queries: 1 + d.draws.below(4),
        keys: 1 + d.draws.below(4),
        size: 2 * (1 + d.draws.below(3)),
        value_size: 1 + d.draws.below(4),
    }
}

/// Inputs of 3 or 4 axes, a mask of booleans or numbers, a cache, and the four outputs.
fn attention(d: &mut Draft) -> Made {
    let Extents {
        batch,
        query_heads,
        key_heads,
        queries,
        keys,
        size,
        value_size,
    } = extents(d);
    let packed = d.pick("rank", &["4", "3"]) == "3";
    if packed {
        d.int("q_num_heads", query_heads as i64);
        d.int("kv_num_heads", key_heads as i64);
    }
    let shape = |heads: usize, tokens: usize, size: usize| {
        if packed {
            vec![batch, tokens, heads * size]
        } else {
            vec![batch, heads, tokens, size]
        }
    };
    d.flag("is_causal", false);
    d.mode("softmax_precision");
    d.scalar("scale", &[0.5]);
    d.scalar("softcap", &[2.0]);
    d.input(&shape(query_heads, queries, size), FACTOR)?;
    d.input(&shape(key_heads, keys, size), FACTOR)?;
    d.input(&shape(key_heads, keys, value_size), FACTOR)?;
    let cache = d.pick("cache", &["absent", "given"]) == "given";
    let past = if cache { 1 + d.draws.below(3) } else { 0 };
    let mask = d.pick("mask", &["absent", "two axes", "four axes", "ones"]);
    let total = keys + past;
    match mask {
        "absent" => d.skip(),
        form => {
            let mask = d.dtype("U")?;
            d.require(
                mask == DType::Bool || mask == d.dtype("T1")?,
                "a mask has booleans, or numbers of the type of the query",
            )?;
            let shape = match form {
                "two axes" => vec![queries, total],
                "four axes" => vec![batch, query_heads, queries, total],
                _ => vec![batch, 1, 1, total],
            };
            d.input(&shape, FACTOR)?;
        }
    }
    if cache {
        d.input(&[batch, key_heads, past, size], FACTOR)?;
        d.input(&[batch, key_heads, past, value_size], FACTOR)?;
    } else {
        d.skip();
        d.skip();
    }
    if d.schema.input(6).is_some() && !cache && d.pick("lengths", &["absent", "given"]) == "given" {
        let lengths: Vec<i64> = (0..batch).map(|_| 1 + d.draws.below(keys) as i64).collect();
        d.numbers(&lengths)?;
    }
    for side in ["left_window_size", "right_window_size"] {
        if d.has(side) && d.pick(side, &["absent", "one"]) == "one" {
            d.int(side, 1);
        }
    }
    let count = match d.pick("outputs", &["one", "present", "all"]) {
        "one" => 1,
        "present" if cache => 3,
        "all" if cache => {
            d.mode("qk_matmul_output_mode");
            4
        }
        _ => 1,
    };
    let types = (0..count).map(|position| d.output_dtype(position).map(ValueType::tensor));
    let types = types.collect::<Result<Vec<_>, _>>()?;
    d.results(types);
    Ok(())
}

fn flexible(d: &mut Draft) -> Made {
    let Extents {
        batch,
        query_heads,
        key_heads,
        queries,
        keys,
        size,
        value_size,
    } = extents(d);
    d.scalar("scale", &[0.5]);
    d.mode("softmax_precision");
    d.input(&[batch, query_heads, queries, size], FACTOR)?;
    d.input(&[batch, key_heads, keys, size], FACTOR)?;
    d.input(&[batch, key_heads, keys, value_size], FACTOR)?;
    Ok(())
}

/// Decay is per key or per head, and beta per head or shared; the rule determines which of them exist.
fn linear(d: &mut Draft) -> Made {
    let rule = d.mode("update_rule");
    let Extents {
        batch,
        query_heads,
        key_heads,
        queries,
        size,
        value_size,
        ..
    } = extents(d);
    d.int("q_num_heads", query_heads as i64);
    d.int("kv_num_heads", key_heads as i64);
    d.scalar("scale", &[0.5]);
    d.input(&[batch, queries, query_heads * size], FACTOR)?;
    d.input(&[batch, queries, key_heads * size], FACTOR)?;
    d.input(&[batch, queries, key_heads * value_size], FACTOR)?;
    let (query, state) = (d.dtype("T")?, d.dtype("S")?);
    let there = d.optional("past state", &[batch, key_heads, size, value_size], FACTOR)?;
    d.require(
        there || query == state,
        "without a state its type is that of the query",
    )?;
    if rule.contains("gated") {
        let each = d.pick("decay", &["keys", "heads"]) == "keys";
        d.input(
            &[batch, queries, key_heads * if each { size } else { 1 }],
            Domain::from(-1.0, 0.0),
        )?;
    } else {
        d.skip();
    }
    if rule.contains("delta") {
        let each = d.pick("beta", &["heads", "one"]) == "heads";
        d.input(
            &[batch, queries, if each { key_heads } else { 1 }],
            Domain::PROBABILITY,
        )?;
    } else {
        d.skip();
    }
    Ok(())
}

/// Caches of positions with the position of each token, or of tokens without.
fn rotary(d: &mut Draft) -> Made {
    let (batch, heads, tokens) = (1 + d.draws.below(2), 1 + d.draws.below(3), 1 + d.draws.below(3));
    let size = 2 * (1 + d.draws.below(4));
    d.flag("interleaved", false);
    let rotated = match d.pick("rotary_embedding_dim", &["absent", "part"]) {
        "part" => {
            d.int("rotary_embedding_dim", 2);
            2
        }
        _ => size,
    };
    match d.pick("rank", &["4", "3"]) {
        "3" => {
            d.int("num_heads", heads as i64);
            d.input(&[batch, tokens, heads * size], FACTOR)?;
        }
        _ => {
            d.input(&[batch, heads, tokens, size], FACTOR)?;
        }
    }
    if d.whether("position ids") {
        d.input(&[5, rotated / 2], Domain::UNIT)?;
        d.input(&[5, rotated / 2], Domain::UNIT)?;
        let positions: Vec<i64> = (0..batch * tokens).map(|_| d.draws.below(5) as i64).collect();
        d.give(Tensor::new(&[batch, tokens], positions)?);
        return Ok(());
    }
    d.input(&[batch, tokens, rotated / 2], Domain::UNIT)?;
    d.input(&[batch, tokens, rotated / 2], Domain::UNIT)?;
    Ok(())
}
