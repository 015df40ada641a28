//! The operands of a decomposed attention: queries, keys and values without their scales,
//! transpositions and repeats.

use super::super::pattern::Around;
use super::scores::factor;
use crate::ir::ValueId;

/// The value that is transposed for the keys.
pub struct Keys {
    pub source: ValueId,
    /// The order of its axes in `[batch, heads, keys, size]`.
    pub order: [i64; 4],
    /// The constant factor.
    pub scale: f64,
}

/// The order of axes that changes nothing.
const PLAIN: [i64; 4] = [0, 1, 2, 3];

/// Returns a value without its constant factor.
pub fn unscaled(around: &Around, id: ValueId) -> (ValueId, f64) {
    let found = around.producer(id).and_then(|(_, node)| factor(around, node));
    found.unwrap_or((id, 1.0))
}

/// Returns the keys of the right operand of the product of queries and keys.
pub fn keys(around: &Around, id: ValueId) -> Option<Keys> {
    let (id, scale) = unscaled(around, id);
    let (_, node) = around.producer(id)?;
    let (source, order) = match node.op.plain("Transpose") {
        Some(transpose) => {
            let &[a, b, c, d] = transpose.attributes.ints("perm").ok()?? else {
                return None;
            };
            // Attention reads the keys with their last two axes exchanged.
            (node.input(0)?, [a, b, d, c])
        }
        None => (without_heads(around, id)?, PLAIN),
    };
    let (source, inner) = unscaled(around, source);
    Some(Keys {
        source,
        order,
        scale: scale * inner,
    })
}

/// Returns the source of a transposition of the last two axes that merges batch and heads meanwhile:
/// `[b, h, t, d]` to `[b·h, t, d]` to `[b·h, d, t]` to `[b, h, d, t]`.
fn without_heads(around: &Around, id: ValueId) -> Option<ValueId> {
    let shape = |id: ValueId| around.graph.shape_of(id);
    let (_, last) = around.producer(id)?;
    last.op.plain("Reshape")?;
    let (_, turn) = around.producer(last.input(0)?)?;
    let order = turn.op.plain("Transpose")?.attributes.ints("perm").ok()??;
    let (_, first) = around.producer(turn.input(0)?)?;
    first.op.plain("Reshape")?;
    let source = first.input(0)?;
    let (result, merged, from) = (shape(id)?, shape(turn.input(0)?)?, shape(source)?);
    let (&[b, h, t, d], [_, tokens, size]) = (&from[..], &merged[..]) else {
        return None;
    };
    let same = result == [b, h, d, t] && (*tokens, *size) == (t, d) && order == [0, 2, 1];
    (same && !from.contains(&0)).then_some(source)
}

/// Returns keys and values without the repeats of their heads, and how many query heads share each.
pub fn without_groups(around: &Around, q: ValueId, keys: Keys, v: ValueId) -> (Keys, ValueId, usize) {
    let heads = |id: ValueId| around.graph.shape_of(id)?.get(1).copied();
    let found = match keys.order {
        PLAIN => once(around, keys.source).zip(once(around, v)),
        _ => None,
    };
    match found {
        Some(((source, groups), (values, others)))
            if groups == others && heads(source).map(|heads| heads * groups) == heads(q) =>
        {
            (Keys { source, ..keys }, values, groups)
        }
        _ => (keys, v, 1),
    }
}

/// Returns the source of repeated heads, `[b, h, t, d]` to `[b, h, 1, t, d]` to `[b, h, r, t, d]`
/// to `[b, h·r, t, d]`, and the number of repeats.
fn once(around: &Around, id: ValueId) -> Option<(ValueId, usize)> {
    let shape = |id: ValueId| around.graph.shape_of(id);
    let (_, last) = around.producer(id)?;
    last.op.plain("Reshape")?;
    let many = last.input(0)?;
    let (_, repeat) = around.producer(many)?;
    let one = match super::super::pattern::operator(repeat)?.schema.name {
        "Expand" | "Tile" => repeat.input(0)?,
        "Concat" => {
            let first = repeat.input(0)?;
            repeat
                .inputs
                .iter()
                .all(|input| *input == Some(first))
                .then_some(first)?
        }
        _ => return None,
    };
    let (_, insert) = around.producer(one)?;
    if !matches!(
        super::super::pattern::operator(insert)?.schema.name,
        "Unsqueeze" | "Reshape"
    ) {
        return None;
    }
    let source = insert.input(0)?;
    let &[b, h, t, d] = &shape(source)?[..] else {
        return None;
    };
    let &[_, _, repeats, _, _] = &shape(many)?[..] else {
        return None;
    };
    // With an extent of 0, or of 1 along the repeats, shapes would not tell what is repeated.
    let fits = shape(one)? == [b, h, 1, t, d]
        && shape(many)? == [b, h, repeats, t, d]
        && shape(id)? == [b, h.checked_mul(repeats)?, t, d]
        && ![b, h, t, d, repeats].contains(&0);
    fits.then_some((source, repeats))
}
