//! Attention and its relatives: the operator of ONNX, with masks in the forms of ONNX Runtime.

use onnx_model::AttributeValue::{Float, Int};

use super::heads::{Heads, joined_heads, packed_heads, split_heads};
use super::integer::{Quantized, product};
use super::mask::padding;
use super::{Row, contrib};
use crate::call::{extent, extents, int64s};
use crate::compose::{Composed, Composition, Id};
use crate::error::{invalid, unsupported};

pub const ROWS: &[Row] = &[
    contrib("Attention", |c| {
        let (x, w, bias) = (c.input_wide(0)?, c.input_wide(1)?, c.find_wide(2)?);
        let projected = c.apply("MatMul", &[x, w], &[])?;
        let places = Places {
            mask: 3,
            past: 4,
            bias: Some(5),
        };
        self_attention(c, projected, bias, places, 0)
    }),
    contrib("DecoderMaskedMultiHeadAttention", |c| {
        let shared = c.attributes().find_int("past_present_share_buffer")?.unwrap_or(0) != 0;
        if shared || (7..10).any(|position| c.find(position).is_some()) {
            return Ok(unsupported("a buffer that past and present share, and beams")?);
        }
        let places = Places {
            mask: 3,
            past: 5,
            bias: Some(4),
        };
        multi_head(c, 10, places)
    }),
    contrib("MultiHeadAttention", |c| {
        if c.find(8).is_some() || c.find(9).is_some() {
            return Ok(unsupported("a buffer that past and present share, and beams")?);
        }
        let places = Places {
            mask: 4,
            past: 6,
            bias: Some(5),
        };
        multi_head(c, 3, places)
    }),
    contrib("PackedAttention", packed),
    contrib("QAttention", |c| {
        let a = Quantized::read(c, [0, 3, 6])?;
        let b = Quantized::read(c, [1, 4, 7])?;
        let projected = product(c, a, b)?;
        let bias = c.find_wide(2)?;
        let places = Places {
            mask: 5,
            past: 8,
            bias: None,
        };
        self_attention(c, projected, bias, places, 3)
    }),
];

/// The positions of optional inputs.
#[derive(Clone, Copy)]
struct Places {
    mask: usize,
    /// Past keys and values, one behind the other.
    past: usize,
    /// A summand of the scores.
    bias: Option<usize>,
}

/// What a softmax of scores depends on besides queries and keys.
pub struct Scores {
    /// A summand.
    pub mask: Option<Id>,
    pub causal: bool,
    pub scale: Option<f32>,
    pub softcap: f32,
}

impl Scores {
    /// Reads the scale and the causality of a node; a scale of 0 is none.
    fn of(c: &Composition<'_>, mask: Option<Id>) -> Composed<Scores> {
        let attributes = c.attributes();
        Ok(Scores {
            mask,
            causal: attributes.flag("unidirectional")?,
            scale: attributes.find_float("scale")?.filter(|&scale| scale != 0.0),
            softcap: 0.0,
        })
    }

    /// Applies Attention of ONNX; the results are its first outputs.
    pub fn apply(&self, c: &mut Composition<'_>, heads: &Heads, results: usize) -> Composed<Vec<Id>> {
        let mut given = vec![
            ("is_causal", Int(i64::from(self.causal))),
            ("qk_matmul_output_mode", Int(2)),
            ("softcap", Float(self.softcap)),
        ];
        given.extend(self.scale.map(|scale| ("scale", Float(scale))));
        let [past_keys, past_values] = heads.past.map_or([None; 2], |past| past.map(Some));
        let inputs = [
            Some(heads.query),
            Some(heads.key),
            Some(heads.value),
            self.mask,
            past_keys,
            past_values,
        ];
        c.apply_many("Attention", &inputs, &given, results)
    }
}

/// Reads the mask and the bias of scores as one summand for queries and keys of these numbers.
fn summand(c: &mut Composition<'_>, places: Places, heads: &Heads) -> Composed<Option<Id>> {
    let [batch, count, queries, _] = c.shape(heads.query)?[..] else {
        return Ok(invalid("the queries must have rank 4")?);
    };
    let keys = heads.keys(c)?;
    let dtype = c.dtype(heads.query)?;
    let mask = padding(c, places.mask, [batch, queries, keys], dtype)?;
    let bias = match places.bias {
        Some(position) => c.find_wide(position)?,
        None => None,
    };
    if let Some(bias) = bias {
        fits(c, bias, [batch, count, queries, keys])?;
    }
    match (mask, bias) {
        (Some(mask), Some(bias)) => Ok(Some(c.add(mask, bias)?)),
        (mask, bias) => Ok(mask.or(bias)),
    }
}

/// Checks that a summand has the last extents of the scores and stretches to the others.
pub fn fits(c: &Composition<'_>, bias: Id, scores: [usize; 4]) -> Composed {
    let shape = c.shape(bias)?;
    let stretches = shape.len() == 4
        && shape[2..] == scores[2..]
        && shape
            .iter()
            .zip(&scores)
            .all(|(own, all)| *own == 1 || own == all);
    if stretches {
        return Ok(());
    }
    Ok(invalid(format!(
        "`attention_bias` of shape {shape:?} does not fit scores of shape {scores:?}"
    ))?)
}

/// The number of heads.
pub fn count_of(c: &Composition<'_>, name: &str) -> Composed<usize> {
    match extent(c.attributes().int(name)?)? {
        0 => Ok(invalid(format!("`{name}` is 0"))?),
        count => Ok(count),
    }
}

/// Attention over projections of width q + k + v; the result has the type of an input.
fn self_attention(
    c: &mut Composition<'_>,
    projected: Id,
    bias: Option<Id>,
    places: Places,
    of_type: usize,
) -> Composed {
    for name in ["do_rotary", "past_present_share_buffer"] {
        if c.attributes().find_int(name)?.unwrap_or(0) != 0 {
            return Ok(unsupported(format!("`{name}`"))?);
        }
    }
    let projected = match bias {
        Some(bias) => {
            c.along_last(projected, bias, "bias")?;
            c.add(projected, bias)?
        }
        None => projected,
    };
    let count = count_of(c, "num_heads")?;
    let own = c.dtype(c.input(of_type)?)?;
    let mut heads = by_sizes(c, projected, count)?;
    if let Some(past) = c.find_wide(places.past)? {
        let shape = c.shape(past)?;
        if shape.len() != 5 || shape[0] != 2 {
            return Ok(invalid(format!(
                "`past` of shape {shape:?} must be 2 × B × N × P × H"
            ))?);
        }
        let parts = c.split(past, 0, &[1, 1])?;
        heads.past = Some([
            c.reshape(parts[0], &shape[1..])?,
            c.reshape(parts[1], &shape[1..])?,
        ]);
    }
    let mask = summand(c, places, &heads)?;
    let scores = Scores::of(c, mask)?;
    let present = c.wants(1);
    let results = scores.apply(c, &heads, if present && heads.past.is_some() { 3 } else { 1 })?;
    let y = joined_heads(c, results[0])?;
    c.give_as(0, y, own)?;
    if present {
        let (keys, values) = match results[..] {
            [_, keys, values] => (keys, values),
            _ => (heads.key, heads.value),
        };
        if c.shape(keys)? != c.shape(values)? {
            return Ok(unsupported("`present` with keys and values of different sizes")?);
        }
        let (keys, values) = (c.unsqueeze(keys, &[0])?, c.unsqueeze(values, &[0])?);
        let both = c.concat(&[keys, values], 0)?;
        c.give_as(1, both, own)?;
    }
    Ok(())
}

/// Splits projections into queries, keys and values.
fn by_sizes(c: &mut Composition<'_>, projected: Id, count: usize) -> Composed<Heads> {
    let shape = c.shape(projected)?;
    let &[_, _, width] = &shape[..] else {
        return Ok(invalid("the input must have rank 3")?);
    };
    let sizes = match c.attributes().ints("qkv_hidden_sizes")? {
        Some(sizes) => extents(sizes)?,
        None => vec![width / 3; 3],
    };
    if sizes.len() != 3 || sizes.iter().sum::<usize>() != width {
        return Ok(invalid(format!(
            "queries, keys and values of {sizes:?} elements in projections of {width}"
        ))?);
    }
    let parts = c.split(projected, 2, &sizes)?;
    Ok(Heads {
        query: split_heads(c, parts[0], count, "query")?,
        key: split_heads(c, parts[1], count, "key")?,
        value: split_heads(c, parts[2], count, "value")?,
        past: None,
    })
}

/// Attention over projected queries, keys and values, whose bias is at an input.
fn multi_head(c: &mut Composition<'_>, bias: usize, places: Places) -> Composed {
    let own = c.dtype(c.input(0)?)?;
    let mut heads = read(c, bias)?;
    if let (Some(keys), Some(values)) = (c.find_wide(places.past)?, c.find_wide(places.past + 1)?) {
        heads.past = Some([keys, values]);
    }
    let mask = summand(c, places, &heads)?;
    let scores = Scores::of(c, mask)?;
    let results = match (c.wants(3), heads.past.is_some()) {
        (true, _) => 4,
        (false, true) => 3,
        (false, false) => 1,
    };
    let found = scores.apply(c, &heads, results)?;
    let y = joined_heads(c, found[0])?;
    c.give_as(0, y, own)?;
    let present = match found[..] {
        [_, keys, values, ..] => [keys, values],
        _ => [heads.key, heads.value],
    };
    c.give_as(1, present[0], own)?;
    c.give_as(2, present[1], own)?;
    if let Some(&shown) = found.get(3) {
        c.give_as(3, shown, own)?;
    }
    Ok(())
}

/// Reads queries, keys and values in each of their layouts, with their part of the bias at an input.
fn read(c: &mut Composition<'_>, bias: usize) -> Composed<Heads> {
    let count = count_of(c, "num_heads")?;
    let (query, key, value) = (c.input_wide(0)?, c.find_wide(1)?, c.find_wide(2)?);
    let heads = match (key, value) {
        (None, _) => packed_heads(c, query, count, 3)?,
        (Some(key), None) => {
            let parts = packed_heads(c, key, count, 2)?;
            vec![split_heads(c, query, count, "query")?, parts[0], parts[1]]
        }
        (Some(key), Some(value)) => vec![
            split_heads(c, query, count, "query")?,
            split_heads(c, key, count, "key")?,
            split_heads(c, value, count, "value")?,
        ],
    };
    // The bias does not apply to keys that have heads already.
    let biased = match (key, value) {
        (Some(key), Some(_)) if c.rank(key)? == 4 => 1,
        _ => 3,
    };
    let mut sums = with_biases(c, bias, &heads[..biased])?;
    sums.extend_from_slice(&heads[biased..]);
    Ok(Heads::of(sums[0], sums[1], sums[2]))
}

/// Adds to each of these heads its part of the bias at an input.
fn with_biases(c: &mut Composition<'_>, bias: usize, heads: &[Id]) -> Composed<Vec<Id>> {
    let Some(bias) = c.find_wide(bias)? else {
        return Ok(heads.to_vec());
    };
    let found = c.shape(bias)?;
    let mut from = 0;
    let mut sums = Vec::with_capacity(heads.len());
    for &head in heads {
        let shape = c.shape(head)?;
        let width = shape[1] * shape[3];
        if found.len() != 1 || found[0] < from + width {
            return Ok(invalid(format!(
                "a bias of shape {found:?} for projections of {} elements and more",
                from + width
            ))?);
        }
        let part = c.slice(bias, 0, from, from + width)?;
        let part = c.reshape(part, &[1, shape[1], 1, shape[3]])?;
        sums.push(c.add(head, part)?);
        from += width;
    }
    Ok(sums)
}

/// PackedAttention: each sequence sees its own tokens.
fn packed(c: &mut Composition<'_>) -> Composed {
    let own = c.dtype(c.input(0)?)?;
    let (x, w, bias) = (c.input_wide(0)?, c.input_wide(1)?, c.find_wide(2)?);
    let tokens = match c.shape(x)?[..] {
        [tokens, _] => tokens,
        _ => return Ok(invalid("the input must have rank 2")?),
    };
    let sums = c.elements(c.input(4)?)?;
    let sums = extents(&int64s(&sums)?)?;
    if sums.first() != Some(&0) || sums.last() != Some(&tokens) || !sums.is_sorted() {
        return Ok(invalid(format!(
            "the sums of lengths {sums:?} must ascend from 0 to {tokens}"
        ))?);
    }
    let projected = c.apply("MatMul", &[x, w], &[])?;
    let projected = c.plus(projected, bias)?;
    let projected = c.unsqueeze(projected, &[0])?;
    let count = count_of(c, "num_heads")?;
    let all = c.find_wide(5)?;
    let mut parts = Vec::new();
    for (image, pair) in sums.windows(2).enumerate() {
        let part = c.slice(projected, 1, pair[0], pair[1])?;
        let heads = by_sizes(c, part, count)?;
        let mask = match all {
            Some(all) => Some(of_sequence(c, all, image, count, pair[1] - pair[0])?),
            None => None,
        };
        let scores = Scores::of(c, mask)?;
        let y = scores.apply(c, &heads, 1)?[0];
        parts.push(joined_heads(c, y)?);
    }
    if parts.is_empty() {
        return Ok(unsupported("no sequences")?);
    }
    let y = c.concat(&parts, 1)?;
    let shape = c.shape(y)?;
    let y = c.reshape(y, &shape[1..])?;
    c.give_as(0, y, own)
}

/// The summand of the scores of one sequence.
fn of_sequence(c: &mut Composition<'_>, all: Id, image: usize, count: usize, length: usize) -> Composed<Id> {
    let shape = c.shape(all)?;
    let batch = shape.first().copied().unwrap_or(0);
    let fits = shape.len() == 4
        && (batch == 1 || image < batch)
        && [1, count].contains(&shape[1])
        && shape[2..].iter().all(|&extent| extent >= length);
    if !fits {
        return Ok(invalid(format!(
            "`attention_bias` of shape {shape:?} does not fit sequence {image} of {length} tokens"
        ))?);
    }
    let image = image.min(batch - 1);
    let part = c.slice(all, 0, image, image + 1)?;
    let part = c.slice(part, 2, 0, length)?;
    c.slice(part, 3, 0, length)
}
