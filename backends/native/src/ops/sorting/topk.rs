//! TopK. Equal elements are ordered by index.

use std::cmp::Ordering;

use onnx_tensor::{Tensor, Value};

use super::super::call::{axis, count, extent};
use super::super::movement::{split_at, take};
use super::super::numbers::{floats, ints, is_int};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
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
    let before = order(tensor, largest)?;
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
    for row in 0..outer {
        for column in 0..inner {
            let place = |along: usize| (row * length + along) * inner + column;
            let mut ranked: Vec<usize> = (0..length).collect();
            ranked.sort_by(|&a, &b| before(place(a), place(b)).then(a.cmp(&b)));
            for (rank, &along) in ranked.iter().take(k).enumerate() {
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

/// Compares two positions; NaN counts as the maximum.
fn order(tensor: &Tensor, largest: bool) -> Result<Box<dyn Fn(usize, usize) -> Ordering>, Problem> {
    let turn = move |order: Ordering| if largest { order.reverse() } else { order };
    if is_int(tensor.dtype()) {
        let values = ints(tensor)?;
        return Ok(Box::new(move |a, b| turn(values[a].cmp(&values[b]))));
    }
    let values = floats(tensor)?;
    let compare = move |a: usize, b: usize| {
        let (a, b) = (values[a], values[b]);
        a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
    };
    Ok(Box::new(move |a, b| turn(compare(a, b))))
}
