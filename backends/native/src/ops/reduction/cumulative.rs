//! CumSum and CumProd.

use super::super::call::{axis, one};
use super::super::movement::split_at;
use super::super::numbers::{floats, from_floats, from_ints, ints, is_int};
use super::super::{Call, Outcome, Row, row};
use crate::ops::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("CumSum", 11, SAME, |call| {
        running(call, 0.0, 0, |a, b| a + b, |a, b| a + b)
    }),
    row("CumProd", 26, SAME, |call| {
        running(call, 1.0, 1, |a, b| a * b, i128::wrapping_mul)
    }),
];

fn running(
    call: &Call,
    float_start: f64,
    int_start: i128,
    of_floats: fn(f64, f64) -> f64,
    of_ints: fn(i128, i128) -> i128,
) -> Outcome {
    let tensor = call.tensor(0)?;
    let at = axis(call.int(1)?, tensor.rank())?;
    let exclusive = call.attributes.flag("exclusive")?;
    let reverse = call.attributes.flag("reverse")?;
    let cut = split_at(tensor.shape(), at);
    if is_int(tensor.dtype()) {
        let values = scan(&ints(tensor)?, cut, int_start, of_ints, exclusive, reverse);
        return one(from_ints(tensor.dtype(), tensor.shape(), values)?);
    }
    let values = scan(&floats(tensor)?, cut, float_start, of_floats, exclusive, reverse);
    one(from_floats(tensor.dtype(), tensor.shape(), values)?)
}

fn scan<T: Copy>(
    values: &[T],
    (outer, length, inner): (usize, usize, usize),
    start: T,
    combine: fn(T, T) -> T,
    exclusive: bool,
    reverse: bool,
) -> Vec<T> {
    let mut results = values.to_vec();
    if results.is_empty() {
        return results;
    }
    for row in 0..outer {
        for column in 0..inner {
            let mut state = start;
            for step in 0..length {
                let along = if reverse { length - 1 - step } else { step };
                let at = (row * length + along) * inner + column;
                let next = combine(state, values[at]);
                results[at] = if exclusive { state } else { next };
                state = next;
            }
        }
    }
    results
}
