//! TopK. Equal elements are ordered by index.

use onnx_tensor::{Tensor, Value};

use super::super::call::{axis, count, extent};
use super::super::movement::{split_at, take};
use super::super::{Call, Outcome, Row, row};
use super::keys::{Key, Keys};
use crate::error::invalid;
use crate::shapes::Shapes::Each;

pub const ROWS: &[Row] = &[
    row(
        "TopK",
        1,
        Each(|known| Some(vec![known.top_k(); known.outputs])),
        |call| topk(call, call.attributes.int("k")?, true),
    ),
    row(
        "TopK",
        10,
        Each(|known| Some(vec![known.top_k(); known.outputs])),
        |call| topk(call, call.int(1)?, true),
    ),
    row(
        "TopK",
        11,
        Each(|known| Some(vec![known.top_k(); known.outputs])),
        |call| topk(call, call.int(1)?, call.attributes.int("largest")? != 0),
    ),
];

fn topk(call: &Call, k: i64, largest: bool) -> Outcome {
    let tensor = call.tensor(0)?;
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    let k = extent(k)?;
    let (outer, length, inner) = split_at(tensor.shape(), at);
    if k > length {
        return invalid(format!("k is {k}, but the axis has {length} elements"));
    }
    let mut shape = tensor.shape().to_vec();
    shape[at] = k;
    let positions = match count(&shape)? {
        0 => Vec::new(),
        _ => match Keys::new(tensor)? {
            Keys::Narrow(keys) => chosen(keys, (outer, length, inner), k, largest),
            Keys::Wide(keys) => chosen(keys, (outer, length, inner), k, largest),
        },
    };
    let indices = positions
        .iter()
        .map(|position| (position / inner % length) as i64)
        .collect();
    Ok(vec![
        Value::Tensor(take(tensor, &shape, &positions)?),
        Value::Tensor(Tensor::new::<i64>(&shape, indices)?),
    ])
}

/// Returns the positions of the elements, in the order of the result.
fn chosen<K: Key>(
    mut keys: Vec<K>,
    (outer, length, inner): (usize, usize, usize),
    k: usize,
    largest: bool,
) -> Vec<usize> {
    if largest {
        keys.iter_mut().for_each(|key| *key = !*key);
    }
    let mut positions = vec![0; outer * k * inner];
    let (mut ranked, mut line) = (Vec::new(), Vec::new());
    for row in 0..outer {
        let block = &keys[row * length * inner..][..length * inner];
        for column in 0..inner {
            let line = match inner {
                1 => block,
                _ => {
                    line.clear();
                    line.extend(block[column..].iter().step_by(inner));
                    &line
                }
            };
            least(&mut ranked, k, line);
            for (rank, &one) in ranked.iter().enumerate() {
                positions[(row * k + rank) * inner + column] =
                    (row * length + K::index(one)) * inner + column;
            }
        }
    }
    positions
}

/// The greatest number of elements that are kept in order while the others are read.
const FEW: usize = 64;

/// The number of keys that are compared with the greatest one so far before any is inserted.
const AT_ONCE: usize = 32;

/// Collects the `k` least of all keys in order, equal ones by index.
fn least<K: Key>(ranked: &mut Vec<K::Ranked>, k: usize, keys: &[K]) {
    ranked.clear();
    if k > FEW {
        ranked.extend(keys.iter().enumerate().map(|(at, key)| key.with(at)));
        if k < ranked.len() {
            ranked.select_nth_unstable(k);
            ranked.truncate(k);
        }
        return ranked.sort_unstable();
    }
    for (chunk, from) in keys.chunks(AT_ONCE).zip((0..).step_by(AT_ONCE)) {
        // An equal key has a greater index.
        let is_full = ranked.len() == k;
        let greatest = ranked.last().map(|&last| keys[K::index(last)]);
        if is_full && greatest.is_none_or(|greatest| !is_any_below(chunk, greatest)) {
            continue;
        }
        for (&key, at) in chunk.iter().zip(from..) {
            let one = key.with(at);
            if ranked.len() == k {
                if ranked.last().is_none_or(|last| *last <= one) {
                    continue;
                }
                ranked.pop();
            }
            ranked.insert(ranked.partition_point(|other| *other < one), one);
        }
    }
}

/// Whether any key is below `bound`; the loop has no branches, so that the compiler vectorizes it.
fn is_any_below<K: Key>(keys: &[K], bound: K) -> bool {
    keys.iter().fold(false, |any, &key| any | (key < bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_are_those_of_a_sorted_list() {
        let keys: Vec<i32> = (0..500).map(|at| at * 7919 % 101 - 50).collect();
        let mut sorted: Vec<(i32, usize)> = keys.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        for k in [0, 1, 10, FEW, FEW + 1, 499, 500] {
            let mut found = Vec::new();
            least(&mut found, k, &keys);
            let found: Vec<usize> = found.into_iter().map(<i32 as Key>::index).collect();
            let expected: Vec<usize> = sorted[..k].iter().map(|(_, at)| *at).collect();
            assert_eq!(found, expected);
        }
    }
}
