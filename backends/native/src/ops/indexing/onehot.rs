//! OneHot, NonZero, EyeLike.

use onnx_tensor::Tensor;

use super::super::call::{axis, count, extent, one};
use super::super::movement::{split_at, strides, take};
use super::super::numbers::{floats, from_ints};
use super::super::{Call, Outcome, Row, row};
use crate::error::invalid;

pub const ROWS: &[Row] = &[
    row("OneHot", 9, one_hot),
    row("NonZero", 9, nonzero),
    row("EyeLike", 9, eye_like),
];

/// Values are off, then on; an index outside of −depth … depth−1 is off everywhere.
fn one_hot(call: &Call) -> Outcome {
    let (indices, values) = (call.tensor(0)?, call.tensor(2)?);
    let Some(depth) = floats(call.tensor(1)?)?.first().map(|&depth| depth as i64) else {
        return invalid("depth is empty");
    };
    let depth = extent(depth)?;
    let at = axis(call.attributes.int("axis")?, indices.rank() + 1)?;
    let mut shape = indices.shape().to_vec();
    shape.insert(at, depth);
    let (_, _, inner) = split_at(&shape, at);
    let total = count(&shape)?;
    let hot: Vec<f64> = floats(indices)?;
    let wrapped = |value: f64| if value < 0.0 { value + depth as f64 } else { value };
    let choose = |linear: usize| {
        let (outer, along, rest) = (linear / (inner * depth), (linear / inner) % depth, linear % inner);
        usize::from(wrapped(hot[outer * inner + rest]) == along as f64)
    };
    let choices: Vec<usize> = (0..total).map(choose).collect();
    one(take(values, &shape, &choices)?)
}

fn nonzero(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let own = strides(tensor.shape());
    let values = floats(tensor)?;
    let found: Vec<usize> = (0..values.len()).filter(|&at| values[at] != 0.0).collect();
    let rank = tensor.rank();
    let mut coordinates = Vec::with_capacity(rank * found.len());
    for (&step, &extent) in own.iter().zip(tensor.shape()) {
        coordinates.extend(found.iter().map(|&at| ((at / step) % extent) as i64));
    }
    one(Tensor::new(&[rank, found.len()], coordinates)?)
}

fn eye_like(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let &[rows, columns] = tensor.shape() else {
        return invalid("a matrix is expected");
    };
    let dtype = call.attributes.dtype("dtype")?.unwrap_or(tensor.dtype());
    let diagonal = i128::from(call.attributes.int("k")?);
    let value = |linear: usize| {
        let (row, column) = ((linear / columns) as i128, (linear % columns) as i128);
        i128::from(column - row == diagonal)
    };
    one(from_ints(
        dtype,
        &[rows, columns],
        (0..tensor.len()).map(value).collect(),
    )?)
}
