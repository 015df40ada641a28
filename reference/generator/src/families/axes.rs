//! Axes: one or several, from the front or from the back.

use crate::{Draft, Made};

/// Decides one axis of `rank` in its notation: negative ones from `since` on. Returns the given axis and
/// the index.
pub fn axis(d: &mut Draft, rank: usize, negative_since: u32) -> (i64, usize) {
    axis_within(d, rank, rank, negative_since)
}

/// Like [`axis`]; `count` axes are possible, of which the one at `rank` is after the last.
pub fn axis_within(d: &mut Draft, rank: usize, count: usize, negative_since: u32) -> (i64, usize) {
    let options: &[&str] = if d.since() >= negative_since {
        &["first", "last", "middle", "negative", "most negative"]
    } else {
        &["first", "last", "middle"]
    };
    let (rank, count) = (rank as i64, count as i64);
    let given = match d.pick("axis", options) {
        "first" => 0,
        "last" => count - 1,
        "middle" => d.draws.between(0, (count - 1).max(0)),
        "negative" => d.draws.between(-rank, -1),
        _ => -rank,
    };
    let given = if rank == 0 { 0 } else { given };
    (given, if given < 0 { given + rank } else { given } as usize)
}

/// Decides distinct axes of `rank`, at least `least` of them. Returns the given axes and the indices.
pub fn axes(d: &mut Draft, rank: usize, least: usize, negative_since: u32) -> (Vec<i64>, Vec<usize>) {
    let count = least.max(1) + d.draws.below(rank.saturating_sub(least.max(1)) + 1);
    let mut order = d.draws.permutation(rank);
    order.truncate(count);
    if d.pick("axes order", &["ascending", "any"]) == "ascending" {
        order.sort_unstable();
    }
    let negative = d.since() >= negative_since && d.pick("axes sign", &["plain", "negative"]) == "negative";
    let given = order.iter().map(|&axis| {
        axis as i64
            - if negative && d.draws.one_in(2) {
                rank as i64
            } else {
                0
            }
    });
    (given.collect(), order)
}

/// Adds axes in the form of the version: by an attribute, or by its next input.
///
/// # Errors
/// The version has neither.
pub fn give_axes(d: &mut Draft, axes: &[i64]) -> Made {
    if d.has("axes") {
        d.ints("axes", axes);
        Ok(())
    } else {
        d.numbers(axes)
    }
}
