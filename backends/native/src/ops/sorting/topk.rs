//! TopK. Equal elements are ordered by index.

use onnx_tensor::{Tensor, Value};

use super::super::call::{axis, count, extent};
use super::super::movement::{split_at, take};
use super::super::{Call, Outcome, Row, row};
use super::keys::keys;
use crate::error::invalid;
use crate::ops::shapes::Shapes::Each;

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
    let keys = keys(tensor)?;
    let mut shape = tensor.shape().to_vec();
    shape[at] = k;
    let total = count(&shape)?;
    if total == 0 {
        let indices = Tensor::new::<i64>(&shape, Vec::new())?;
        return Ok(vec![
            Value::Tensor(take(tensor, &shape, &[])?),
            Value::Tensor(indices),
        ]);
    }
    let (mut positions, mut indices) = (vec![0; total], vec![0_i64; total]);
    let mut ranked: Vec<Ranked> = Vec::with_capacity(length);
    for row in 0..outer {
        for column in 0..inner {
            let place = |along: usize| (row * length + along) * inner + column;
            let key = |along: usize| {
                if largest {
                    !keys[place(along)]
                } else {
                    keys[place(along)]
                }
            };
            least(&mut ranked, k, (0..length).map(|along| (key(along), along)));
            for (rank, &(_, along)) in ranked.iter().enumerate() {
                let to = (row * k + rank) * inner + column;
                positions[to] = place(along);
                indices[to] = along as i64;
            }
        }
    }
    let values = take(tensor, &shape, &positions)?;
    Ok(vec![
        Value::Tensor(values),
        Value::Tensor(Tensor::new(&shape, indices)?),
    ])
}

/// The key of an element and its index.
type Ranked = (u64, usize);

/// The greatest number of elements that are kept in order while the others are read.
const FEW: usize = 64;

/// Collects the `k` least of all elements, in order.
fn least(ranked: &mut Vec<Ranked>, k: usize, all: impl Iterator<Item = Ranked>) {
    ranked.clear();
    if k > FEW {
        ranked.extend(all);
        if k < ranked.len() {
            ranked.select_nth_unstable(k);
            ranked.truncate(k);
        }
        return ranked.sort_unstable();
    }
    for one in all {
        if ranked.len() == k {
            if ranked.last().is_none_or(|last| *last <= one) {
                continue;
            }
            ranked.pop();
        }
        ranked.insert(ranked.partition_point(|other| *other < one), one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_are_those_of_a_sorted_list() {
        let all: Vec<Ranked> = (0..500).map(|at| (at as u64 * 7919 % 101, at)).collect();
        let mut sorted = all.clone();
        sorted.sort_unstable();
        for k in [0, 1, 10, FEW, FEW + 1, 499, 500] {
            let mut found = Vec::new();
            least(&mut found, k, all.iter().copied());
            assert_eq!(found, sorted[..k]);
        }
    }
}
