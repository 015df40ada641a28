//! Shapes of one tensor.

use crate::Draft;

const RANKS: [&str; 7] = ["0", "1", "2", "3", "4", "5", "6"];

/// A shape of `low` to `high` axes; extents are small, and may be 1, 0, or one large.
pub fn shape(d: &mut Draft, low: usize, high: usize) -> Vec<usize> {
    drawn(d, low, high, &["plain", "ones", "empty", "long"])
}

/// Like [`shape`], without an extent of 0.
pub fn full(d: &mut Draft, low: usize, high: usize) -> Vec<usize> {
    drawn(d, low, high, &["plain", "ones", "long"])
}

/// Like [`shape`] or [`full`].
pub fn empty_or_full(d: &mut Draft, low: usize, high: usize, empty: bool) -> Vec<usize> {
    if empty {
        shape(d, low, high)
    } else {
        full(d, low, high)
    }
}

fn drawn(d: &mut Draft, low: usize, high: usize, extents: &[&str]) -> Vec<usize> {
    let ranks = RANKS.get(low..=high.min(6)).unwrap_or_default();
    let rank: usize = d.pick("rank", ranks).parse().unwrap_or(low);
    let most = if rank > 3 { 3 } else { 4 };
    let mut shape: Vec<usize> = (0..rank).map(|_| 1 + d.draws.below(most)).collect();
    if rank == 0 {
        return shape;
    }
    match d.pick("extents", extents) {
        "ones" => shape.iter_mut().for_each(|extent| {
            if d.draws.one_in(2) {
                *extent = 1;
            }
        }),
        "empty" => {
            let axis = d.draws.below(rank);
            shape[axis] = 0;
        }
        "long" => {
            let axis = d.draws.below(rank);
            shape[axis] = [7, 9, 17, 33][d.draws.below(4)];
        }
        _ => shape.iter_mut().for_each(|extent| *extent = (*extent).max(2)),
    }
    shape
}

/// A shape that can be broadcast to another in one direction: fewer axes, and extents of 1.
pub fn broadcastable(d: &mut Draft, point: &str, to: &[usize]) -> Vec<usize> {
    let form = d.pick(point, &["same", "suffix", "ones", "scalar", "one"]);
    let start = d.draws.below(to.len() + 1);
    match form {
        "suffix" => to[start..].to_vec(),
        "ones" => to
            .iter()
            .map(|&extent| if d.draws.one_in(2) { 1 } else { extent })
            .collect(),
        "scalar" => Vec::new(),
        "one" => vec![1; to.len().min(1)],
        _ => to.to_vec(),
    }
}

/// A batch of images: batch, channels, then `low` to `high` spatial extents.
pub fn image(d: &mut Draft, channels: usize, low: usize, high: usize) -> Vec<usize> {
    let spatial = RANKS.get(low..=high.min(6)).unwrap_or_default();
    let spatial: usize = d.pick("spatial", spatial).parse().unwrap_or(low);
    let batch = 1 + d.draws.below(2);
    let most = if spatial > 2 { 4 } else { 7 };
    let extents = (0..spatial)
        .map(|_| 2 + d.draws.below(most - 1))
        .collect::<Vec<_>>();
    [vec![batch, channels], extents].concat()
}
