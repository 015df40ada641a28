//! ArgMax and ArgMin.

use std::cmp::Ordering;

use onnx_tensor::Tensor;

use super::super::call::{axis, one};
use super::super::numbers::{floats, ints, is_int};
use super::super::{Call, Outcome, Row, row};
use super::reduce::Groups;
use crate::error::invalid;
use crate::ops::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("ArgMax", 1, First(|known| known.arg()), |call| {
        arg(call, Ordering::Greater)
    }),
    row("ArgMin", 1, First(|known| known.arg()), |call| {
        arg(call, Ordering::Less)
    }),
];

fn arg(call: &Call, wins: Ordering) -> Outcome {
    let tensor = call.tensor(0)?;
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    let last = call.attributes.flag("select_last_index")?;
    let groups = Groups::new(tensor.shape(), &[at], call.attributes.int("keepdims")? != 0);
    if tensor.shape()[at] == 0 {
        return invalid("the axis is empty, so it has no extreme");
    }
    let results: Vec<i64> = if is_int(tensor.dtype()) {
        let values = ints(tensor)?;
        groups.map(|members| best(members.map(|at| values[at]), wins, last, |_| false))
    } else {
        let values = floats(tensor)?;
        groups.map(|members| best(members.map(|at| values[at]), wins, last, |x| x.is_nan()))
    };
    one(Tensor::new(&groups.shape, results)?)
}

/// Returns the position of the extreme; the first NaN is the extreme if there is one.
fn best<T: PartialOrd + Copy>(
    values: impl Iterator<Item = T>,
    wins: Ordering,
    last: bool,
    is_nan: fn(T) -> bool,
) -> i64 {
    let mut found: Option<(i64, T)> = None;
    for (position, value) in values.enumerate() {
        let better = match found {
            None => true,
            Some((_, best)) if is_nan(best) => false,
            Some((_, best)) => match value.partial_cmp(&best) {
                None => is_nan(value),
                Some(Ordering::Equal) => last,
                Some(order) => order == wins,
            },
        };
        if better {
            found = Some((position as i64, value));
        }
    }
    found.map_or(0, |(position, _)| position)
}
