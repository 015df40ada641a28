//! Comparisons and logic.

use super::{Declaration, of};
use crate::families::{binary, broadcast_shapes, broadcastable, comparison, shape, unary};
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("And", comparison),
    of("Equal", comparison),
    of("Greater", comparison),
    of("GreaterOrEqual", comparison),
    of("IsInf", |d| {
        d.flag("detect_negative", true);
        d.flag("detect_positive", true);
        unary(d, Domain::ANY)
    }),
    of("IsNaN", |d| unary(d, Domain::ANY)),
    of("Less", comparison),
    of("LessOrEqual", comparison),
    of("Not", |d| unary(d, Domain::ANY)),
    of("Or", comparison),
    of("StringConcat", |d| binary(d, Domain::ANY, Domain::ANY)),
    of("Where", condition),
    of("Xor", comparison),
];

fn condition(d: &mut Draft) -> Made {
    let whole = shape(d, 0, 5);
    match d.pick("where form", &["values", "condition"]) {
        "values" => {
            let part = broadcastable(d, "condition", &whole);
            d.input(&part, Domain::ANY)?;
            d.input(&whole, Domain::ANY)?;
            let part = broadcastable(d, "second", &whole);
            d.input(&part, Domain::ANY)?;
        }
        _ => {
            let (a, b) = broadcast_shapes(d);
            // The condition has the broadcast shape of both.
            let rank = a.len().max(b.len());
            let at = |shape: &[usize], axis: usize| {
                (axis + shape.len())
                    .checked_sub(rank)
                    .map_or(1, |axis| shape[axis])
            };
            let both: Vec<usize> = (0..rank)
                .map(|axis| {
                    if at(&a, axis) == 1 {
                        at(&b, axis)
                    } else {
                        at(&a, axis)
                    }
                })
                .collect();
            d.input(&both, Domain::ANY)?;
            d.input(&a, Domain::ANY)?;
            d.input(&b, Domain::ANY)?;
        }
    }
    Ok(())
}
