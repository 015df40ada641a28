//! The operands of a decomposed attention: keys without their transposition, keys and values without repeats.

use super::super::formula::{Formula, Found, call, either, named, value};
use super::super::pattern::Around;
use super::super::transpose::order;
use crate::ir::{Node, ValueId};

/// The value that is transposed for the keys.
pub struct Keys {
    pub source: ValueId,
    /// The order of its axes in `[batch, heads, keys, size]`.
    pub order: [i64; 4],
}

/// The order of axes that changes nothing.
const PLAIN: [i64; 4] = [0, 1, 2, 3];

/// A transposition of keys, which may merge batch and heads meanwhile: `[b, h, t, d]` to `[b·h, t, d]` to
/// `[b·h, d, t]` to `[b, h, d, t]`.
pub fn turned(keys: Formula) -> Formula {
    let rows = named("rows", call("Reshape", [keys.clone()]));
    let columns = named("columns", call("Transpose", [rows]));
    either([
        named("turned", call("Transpose", [keys])),
        named("apart_again", call("Reshape", [columns])),
    ])
}

/// Returns the keys of an attention.
pub fn keys(found: &Found) -> Option<Keys> {
    let order = match found.node("turned") {
        Some(turned) => {
            let [a, b, c, d] = order(&turned.op)?.try_into().ok()?;
            // Attention reads the keys with their last two axes exchanged.
            [a, b, d, c]
        }
        None => merges_heads(found)?.then_some(PLAIN)?,
    };
    Some(Keys {
        source: found.value("keys")?,
        order,
    })
}

/// Whether keys that are reshaped for their transposition get their shape back.
fn merges_heads(found: &Found) -> Option<bool> {
    let order = order(&found.node("columns")?.op)?;
    let shape = |name| found.shape(name);
    let (result, merged, from) = (shape("apart_again")?, shape("rows")?, shape("keys")?);
    let (&[b, h, t, d], [_, tokens, size]) = (&from[..], &merged[..]) else {
        return None;
    };
    let same = result == [b, h, d, t] && (*tokens, *size) == (t, d) && order == [0, 2, 1];
    Some(same && !from.contains(&0))
}

/// Returns keys and values without the repeats of their heads, and how many query heads share each.
pub fn without_groups(around: &Around, q: ValueId, keys: Keys, v: ValueId) -> (Keys, ValueId, usize) {
    let heads = |id: ValueId| around.graph.shape_of(id)?.get(1).copied();
    let repeated = repeated();
    let once = |id: ValueId| source(&repeated.of_value(around, id)?, id, around);
    let found = match keys.order {
        PLAIN => once(keys.source).zip(once(v)),
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

/// Heads that are repeated: `[b, h, t, d]` to `[b, h, 1, t, d]` to `[b, h, r, t, d]` to `[b, h·r, t, d]`.
fn repeated() -> Formula {
    let one = || {
        named(
            "one",
            either([
                call("Unsqueeze", [value("source")]),
                call("Reshape", [value("source")]),
            ]),
        )
    };
    let many = either([
        call("Expand", [one()]),
        call("Tile", [one()]),
        call("Concat", [one()]).when(repeats),
    ]);
    call("Reshape", [named("many", many)])
}

/// Whether all operands are the first one.
fn repeats(_: &Around, node: &Node) -> bool {
    node.inputs.iter().all(|input| *input == node.inputs[0])
}

/// Returns the source of repeated heads, and the number of repeats.
fn source(found: &Found, id: ValueId, around: &Around) -> Option<(ValueId, usize)> {
    let shape = |name| found.shape(name);
    let &[b, h, t, d] = &shape("source")?[..] else {
        return None;
    };
    let &[_, _, repeats, _, _] = &shape("many")?[..] else {
        return None;
    };
    // With an extent of 0, or of 1 along the repeats, shapes would not tell what is repeated.
    let fits = shape("one")? == [b, h, 1, t, d]
        && shape("many")? == [b, h, repeats, t, d]
        && around.graph.shape_of(id)? == [b, h.checked_mul(repeats)?, t, d]
        && ![b, h, t, d, repeats].contains(&0);
    fits.then_some((found.value("source")?, repeats))
}
