//! GroupQueryAttention: groups of query heads share a head of keys and values, with a cache of past ones.
//!
//! The number of tokens of an entry is known only when the node runs, those of the longest entry must be
//! known before. The rows of the caches are gathered by their places: past rows, new rows, then zeros.

use onnx_model::AttributeValue::Int;
use onnx_tensor::{DType, Tensor};

use super::attention::{Scores, count_of, fits};
use super::heads::{Heads, joined_heads, split_heads};
use super::mask::places;
use super::rotary::{counted, rotated};
use super::{Row, contrib};
use crate::call::{self, extent, int64s};
use crate::compose::{Composed, Composition, Id};
use crate::error::{invalid, unsupported};
use crate::numbers::from_floats;

pub const ROWS: &[Row] = &[contrib("GroupQueryAttention", group_query)];

/// A row that no cache has.
const NOWHERE: i64 = i64::MAX / 4;

fn group_query(c: &mut Composition<'_>) -> Composed {
    refuse(c)?;
    let own = c.dtype(c.input(0)?)?;
    let [mut query, mut key, value] = read(c)?;
    let tokens = Tokens::read(c, query)?;
    if c.attributes().find_int("do_rotary")?.unwrap_or(0) != 0 {
        let positions = tokens.positions(c)?;
        let interleaved = c.attributes().find_int("rotary_interleaved")?.unwrap_or(0) != 0;
        query = rotated(c, query, [7, 8], positions, interleaved)?;
        key = rotated(c, key, [7, 8], positions, interleaved)?;
    }
    let keys = tokens.appended(c, 3, key)?;
    let values = tokens.appended(c, 4, value)?;
    let cache = match c.find(3) {
        Some(past) => c.dtype(past)?,
        None => own,
    };
    c.give_as(1, keys, cache)?;
    c.give_as(2, values, cache)?;
    let heads = Heads::of(query, tokens.seen(c, keys)?, tokens.seen(c, values)?);
    let y = attend(c, &tokens, heads)?;
    c.give_as(0, y, own)?;
    if c.wants(3) {
        let none = zeros(c, own, &[0; 4])?;
        c.give(3, none);
    }
    Ok(())
}

/// Refuses what this backend does not have.
fn refuse(c: &Composition<'_>) -> Composed {
    let real = [DType::Float, DType::Float16, DType::Bfloat16];
    let quantized = |position: usize| {
        Ok::<_, crate::compose::Halt>(match c.find(position) {
            Some(id) => !real.contains(&c.dtype(id)?),
            None => false,
        })
    };
    let missing = [
        (
            quantized(3)? || quantized(4)? || c.find(12).is_some(),
            "a quantized cache (`past_key`, `k_scale`)",
        ),
        (
            c.find(14).is_some() || c.find(15).is_some(),
            "`q_norm_weight` and `k_norm_weight`",
        ),
        (c.find(16).is_some(), "`query_seqlens`"),
        (
            c.attributes().flag("sliding_window_cache")?,
            "`sliding_window_cache`",
        ),
        (c.attributes().flag("qk_output")?, "`qk_output`"),
    ];
    match missing.iter().find(|(found, _)| *found) {
        Some((_, what)) => Ok(unsupported(*what)?),
        None => Ok(()),
    }
}

/// Reads queries, keys and values; all three are in the first input if the second is omitted.
fn read(c: &mut Composition<'_>) -> Composed<[Id; 3]> {
    let (queries, shared) = (count_of(c, "num_heads")?, count_of(c, "kv_num_heads")?);
    let query = c.input_wide(0)?;
    if let (Some(key), Some(value)) = (c.find_wide(1)?, c.find_wide(2)?) {
        return Ok([
            split_heads(c, query, queries, "query")?,
            split_heads(c, key, shared, "key")?,
            split_heads(c, value, shared, "value")?,
        ]);
    }
    let all = split_heads(c, query, queries + 2 * shared, "query")?;
    let parts = c.split(all, 1, &[queries, shared, shared])?;
    Ok([parts[0], parts[1], parts[2]])
}

/// The numbers of tokens.
struct Tokens {
    batch: usize,
    /// New tokens of an entry.
    new: usize,
    /// Those of the longest entry, with the new ones.
    total: usize,
    /// Those of each entry, with the new ones: batch × 1.
    known: Id,
    /// Those of each entry before the new ones; `None` if nothing is past.
    past: Option<Id>,
}

impl Tokens {
    fn read(c: &mut Composition<'_>, query: Id) -> Composed<Tokens> {
        let shape = c.shape(query)?;
        let (batch, new) = (shape[0], shape[2]);
        let total = int64s(&c.elements(c.input(6)?)?)?;
        let total = match total[..] {
            [total] => extent(total)?,
            _ => return Ok(invalid("`total_sequence_length` must be one number")?),
        };
        if total < new {
            return Ok(invalid(format!(
                "`total_sequence_length` is {total} for {new} new tokens"
            ))?);
        }
        let lengths = c.input(5)?;
        let lengths = c.cast(lengths, DType::Int64)?;
        let lengths = c.reshape(lengths, &[batch, 1])?;
        let one = c.constant(Tensor::scalar(1_i64));
        let known = c.add(lengths, one)?;
        let past = if total == new {
            None
        } else {
            let new = c.constant(Tensor::scalar(new as i64));
            Some(c.sub(known, new)?)
        };
        Ok(Tokens {
            batch,
            new,
            total,
            known,
            past,
        })
    }

    /// The position of each new token: batch × new.
    fn counted(&self, c: &mut Composition<'_>) -> Composed<Id> {
        let steps = counted(c, self.batch, self.new)?;
        c.plus(steps, self.past)
    }

    /// The position by which each new token is rotated.
    fn positions(&self, c: &mut Composition<'_>) -> Composed<Id> {
        match c.find(9) {
            None => self.counted(c),
            Some(given) if self.past.is_none() => {
                let count = c.shape(given)?.iter().product();
                let given = c.reshape(given, &[count])?;
                let first = c.slice(given, 0, 0, 1)?;
                let steps = counted(c, self.batch, self.new)?;
                c.add(steps, first)
            }
            Some(given) => c.reshape(given, &[self.batch, self.new]),
        }
    }

    /// Past keys or values at an input, then the new ones of each entry, then zeros.
    fn appended(&self, c: &mut Composition<'_>, position: usize, new: Id) -> Composed<Id> {
        let shape = c.shape(new)?;
        let (heads, size) = (shape[1], shape[3]);
        let past = c.find_wide(position)?;
        let room = match past {
            Some(past) => {
                let found = c.shape(past)?;
                if found.len() != 4 || [found[0], found[1], found[3]] != [self.batch, heads, size] {
                    return Ok(invalid(format!(
                        "past of shape {found:?} does not fit new keys or values of shape {shape:?}"
                    ))?);
                }
                found[2]
            }
            None => 0,
        };
        let length = self.total.max(room);
        let Some(before) = self.past else {
            // All entries are prompts; shorter ones are filled up by their own rows.
            let rest = zeros(c, c.dtype(new)?, &[self.batch, heads, length - self.new, size])?;
            return match length - self.new {
                0 => Ok(new),
                _ => c.concat(&[new, rest], 2),
            };
        };
        let row = zeros(c, c.dtype(new)?, &[self.batch, heads, 1, size])?;
        let parts: Vec<Id> = past.into_iter().chain([new, row]).collect();
        let all = c.concat(&parts, 2)?;
        let rows = room + self.new + 1;
        let places = self.places(c, before, [room, length])?;
        let firsts: Vec<i64> = (0..self.batch * heads).map(|head| (head * rows) as i64).collect();
        let firsts = c.constant(Tensor::new(&[self.batch, heads, 1], firsts)?);
        let places = c.unsqueeze(places, &[1])?;
        let places = c.add(firsts, places)?;
        let flat = c.reshape(all, &[self.batch * heads * rows, size])?;
        c.apply("Gather", &[flat, places], &[("axis", Int(0))])
    }

    /// The place of each row among past rows, new rows and a row of zeros: batch × length.
    fn places(&self, c: &mut Composition<'_>, before: Id, [room, length]: [usize; 2]) -> Composed<Id> {
        let steps: Vec<i64> = (0..length as i64).collect();
        let kept = |&place: &i64| if place < room as i64 { place } else { NOWHERE };
        let kept: Vec<i64> = steps.iter().map(kept).collect();
        let (steps, kept) = (
            c.constant(Tensor::new(&[1, length], steps)?),
            c.constant(Tensor::new(&[1, length], kept)?),
        );
        let (room, rows) = (room as i64, room as i64 + self.new as i64);
        let (room, none) = (c.constant(Tensor::scalar(room)), c.constant(Tensor::scalar(rows)));
        let is_past = c.apply("Less", &[steps, before], &[])?;
        let is_known = c.apply("Less", &[steps, self.known], &[])?;
        let moved = c.sub(steps, before)?;
        let moved = c.add(moved, room)?;
        let new = c.apply("Where", &[is_known, moved, none], &[])?;
        c.apply("Where", &[is_past, kept, new], &[])
    }

    /// The rows that queries can see.
    fn seen(&self, c: &mut Composition<'_>, rows: Id) -> Composed<Id> {
        match c.shape(rows)?[2] {
            length if length == self.total => Ok(rows),
            _ => c.slice(rows, 2, 0, self.total),
        }
    }

    /// Which keys each query sees: batch × 1 × new × total.
    fn visible(&self, c: &mut Composition<'_>) -> Composed<Id> {
        let attributes = c.attributes();
        let causal = attributes.flag("causal")?;
        let window = match attributes.int("local_window_size")? {
            -1 => None,
            size @ 1.. if causal => Some(size),
            size => {
                return Ok(invalid(format!(
                    "`local_window_size` is {size}; it must be -1, or positive with `causal`"
                ))?);
            }
        };
        let keys = places(c, self.total)?;
        let keys = c.cast(keys, DType::Int64)?;
        let known = c.reshape(self.known, &[self.batch, 1, 1, 1])?;
        let mut visible = c.apply("Less", &[keys, known], &[])?;
        let position = self.counted(c)?;
        let position = c.reshape(position, &[self.batch, 1, self.new, 1])?;
        if causal {
            let before = c.apply("LessOrEqual", &[keys, position], &[])?;
            visible = c.apply("And", &[visible, before], &[])?;
        }
        if let Some(window) = window {
            let window = c.constant(Tensor::scalar(window));
            let reach = c.add(keys, window)?;
            let near = c.apply("Greater", &[reach, position], &[])?;
            visible = c.apply("And", &[visible, near], &[])?;
        }
        Ok(visible)
    }
}

/// The output, batch × sequence × (heads · size).
fn attend(c: &mut Composition<'_>, tokens: &Tokens, mut heads: Heads) -> Composed<Id> {
    let count = c.shape(heads.query)?[1];
    let dtype = c.dtype(heads.query)?;
    let visible = tokens.visible(c)?;
    let (zero, hidden) = (c.scalar(dtype, 0.0)?, c.scalar(dtype, f64::NEG_INFINITY)?);
    let mut mask = c.apply("Where", &[visible, zero, hidden], &[])?;
    if let Some(bias) = c.find_wide(10)? {
        fits(c, bias, [tokens.batch, count, tokens.new, tokens.total])?;
        mask = c.add(mask, bias)?;
    }
    if let Some(sinks) = sinks(c, count, dtype)? {
        // A key of zeros whose score is the sink, with a value of zeros.
        let shape = [tokens.batch, count, tokens.new];
        let target = c.vector([shape[0], shape[1], shape[2], tokens.total]);
        let stretched = c.apply("Expand", &[mask, target], &[])?;
        let target = c.vector([shape[0], shape[1], shape[2], 1]);
        let column = c.apply("Expand", &[sinks, target], &[])?;
        mask = c.concat(&[stretched, column], 3)?;
        for rows in [&mut heads.key, &mut heads.value] {
            let mut shape = c.shape(*rows)?;
            shape[2] = 1;
            let row = zeros(c, dtype, &shape)?;
            *rows = c.concat(&[*rows, row], 2)?;
        }
    }
    let attributes = c.attributes();
    let scores = Scores {
        mask: Some(mask),
        causal: false,
        scale: attributes.find_float("scale")?.filter(|&scale| scale != 0.0),
        softcap: attributes.find_float("softcap")?.unwrap_or(0.0),
    };
    let y = scores.apply(c, &heads, 1)?[0];
    joined_heads(c, y)
}

/// The terms in the sums of the softmax that belong to no key: 1 × heads × 1 × 1.
fn sinks(c: &mut Composition<'_>, count: usize, dtype: DType) -> Composed<Option<Id>> {
    if let Some(sinks) = c.find_wide(11)? {
        return Ok(Some(c.reshape(sinks, &[1, count, 1, 1])?));
    }
    match c.attributes().int("smooth_softmax")? {
        1 => Ok(Some(zeros(c, dtype, &[1, 1, 1, 1])?)),
        _ => Ok(None),
    }
}

/// A constant of zeros.
fn zeros(c: &mut Composition<'_>, dtype: DType, shape: &[usize]) -> Composed<Id> {
    let tensor = from_floats(dtype, shape, vec![0.0; call::count(shape)?])?;
    Ok(c.constant(tensor))
}
