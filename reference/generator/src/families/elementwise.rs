//! Elementwise operators, with broadcasting if they have several inputs.

use super::shapes::shape;
use crate::{Domain, Draft, Made};

/// One input.
///
/// # Errors
/// None for an operator of one input.
pub fn unary(d: &mut Draft, domain: Domain) -> Made {
    let shape = shape(d, 0, 5);
    d.input(&shape, domain)?;
    Ok(())
}

/// Two inputs that are broadcast, each with its domain.
///
/// # Errors
/// None for an operator of two inputs.
pub fn binary(d: &mut Draft, first: Domain, second: Domain) -> Made {
    let (a, b) = broadcast_shapes(d);
    d.input(&a, first)?;
    d.input(&b, second)?;
    Ok(())
}

/// Two inputs that are compared: equal elements are frequent.
///
/// # Errors
/// None for an operator of two inputs.
pub fn comparison(d: &mut Draft) -> Made {
    binary(d, Domain::ANY, Domain::ANY)
}

/// Shapes of two inputs in a form of the version's broadcasting; adds the attributes of the old form.
pub fn broadcast_shapes(d: &mut Draft) -> (Vec<usize>, Vec<usize>) {
    if d.has("broadcast") {
        return old_broadcast(d);
    }
    let whole = shape(d, 0, 5);
    both_ways(d, "broadcast form", &whole)
}

/// Two shapes that broadcast to `whole`.
fn both_ways(d: &mut Draft, point: &str, whole: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let start = d.draws.below(whole.len() + 1);
    let same = whole.to_vec();
    match d.pick(
        point,
        &[
            "same",
            "scalar right",
            "scalar left",
            "suffix right",
            "suffix left",
            "ones",
            "both ways",
        ],
    ) {
        "scalar right" => (same, Vec::new()),
        "scalar left" => (Vec::new(), same),
        "suffix right" => (same, whole[start..].to_vec()),
        "suffix left" => (whole[start..].to_vec(), same),
        "ones" => {
            let ones = whole
                .iter()
                .map(|&extent| if d.draws.one_in(2) { 1 } else { extent });
            let ones = ones.collect();
            (same, ones)
        }
        "both ways" => {
            let (mut a, mut b) = (same.clone(), same);
            for axis in 0..whole.len() {
                match d.draws.below(3) {
                    0 => a[axis] = 1,
                    1 => b[axis] = 1,
                    _ => {}
                }
            }
            (a, b[start.min(1)..].to_vec())
        }
        _ => (same.clone(), same),
    }
}

/// Before version 7: equal shapes, or with `broadcast` a second input that is a contiguous part of the
/// first, from `axis` on.
fn old_broadcast(d: &mut Draft) -> (Vec<usize>, Vec<usize>) {
    let whole = shape(d, 0, 5);
    if !d.flag("broadcast", false) {
        return (whole.clone(), whole);
    }
    let start = d.draws.below(whole.len() + 1);
    let end = start + d.draws.below(whole.len() - start + 1);
    let second = match d.pick("broadcast form", &["suffix", "part", "scalar"]) {
        "suffix" => whole[start..].to_vec(),
        "part" if start < end => {
            d.int("axis", start as i64);
            whole[start..end].to_vec()
        }
        _ => Vec::new(),
    };
    (whole, second)
}

/// One to five inputs that are broadcast from version `broadcast_since` on, and have equal shapes
/// before.
///
/// # Errors
/// None for a variadic operator.
pub fn variadic(d: &mut Draft, domain: Domain, broadcast_since: u32) -> Made {
    let count: usize = d.pick("inputs", &["1", "2", "3", "5"]).parse().unwrap_or(1);
    let whole = shape(d, 0, 5);
    let form = if d.since() >= broadcast_since {
        d.pick("broadcast form", &["same", "parts"])
    } else {
        "same"
    };
    for _ in 0..count {
        let start = d.draws.below(whole.len() + 1);
        let part: Vec<usize> = match form {
            "parts" => whole[start..]
                .iter()
                .map(|&extent| if d.draws.one_in(3) { 1 } else { extent })
                .collect(),
            _ => whole.clone(),
        };
        d.input(&part, domain)?;
    }
    Ok(())
}
