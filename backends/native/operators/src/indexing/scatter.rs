//! ScatterElements, ScatterND, TensorScatter.

use std::ops::{Add, Mul};

use onnx_tensor::{DType, Tensor, dispatch};

use super::super::call::{axis, one};
use super::super::movement::{Run, assemble, split_at, strides};
use super::super::numbers::{floats, from_floats, from_ints, ints, slice};
use super::super::{Call, Outcome, Row, row};
use super::gather::{element_positions, index};
use crate::error::{Problem, invalid};
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("Scatter", 9, SAME, scatter_elements),
    row("ScatterElements", 11, SAME, scatter_elements),
    row("ScatterND", 11, SAME, scatter_nd),
    row("TensorScatter", 24, SAME, tensor_scatter),
];

fn scatter_elements(call: &Call) -> Outcome {
    let (tensor, indices, updates) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    if indices.shape() != updates.shape() {
        return invalid("indices and updates differ in shape");
    }
    let positions = element_positions(tensor.shape(), indices.shape(), at, &call.wide_ints(1)?)?;
    one(write(
        tensor,
        updates,
        &positions,
        call.attributes.text("reduction")?,
    )?)
}

fn scatter_nd(call: &Call) -> Outcome {
    let (tensor, indices, updates) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let Some((&width, rows)) = indices.shape().split_last() else {
        return invalid("indices must not be a scalar");
    };
    let shape = tensor.shape();
    if width > shape.len() {
        return invalid("indices have more coordinates than the tensor has axes");
    }
    let mut expected = rows.to_vec();
    expected.extend(&shape[width..]);
    if updates.shape() != expected {
        return invalid(format!(
            "updates have shape {:?}, expected {expected:?}",
            updates.shape()
        ));
    }
    let own = strides(shape);
    let length: usize = shape[width..].iter().product();
    let values = call.wide_ints(1)?;
    let mut positions = Vec::with_capacity(updates.len());
    for row in 0..rows.iter().product() {
        let mut start = 0;
        for axis in 0..width {
            start += index(values[row * width + axis], shape[axis])? * own[axis];
        }
        positions.extend(start..start + length);
    }
    one(write(
        tensor,
        updates,
        &positions,
        call.attributes.text("reduction")?,
    )?)
}

/// Writes updates at these positions, combined with the present elements; later updates are applied after
/// earlier ones.
fn write(tensor: &Tensor, updates: &Tensor, positions: &[usize], reduction: &str) -> Result<Tensor, Problem> {
    match reduction {
        "" | "none" if tensor.dtype() == DType::String => {
            let run = |source| {
                move |start| Run {
                    source,
                    start,
                    length: 1,
                }
            };
            let mut sources: Vec<Run> = (0..tensor.len()).map(run(0)).collect();
            for (&position, update) in positions.iter().zip((0..).map(run(1))) {
                sources[position] = update;
            }
            assemble(&[tensor, updates], tensor.shape(), sources.into_iter())
        }
        "" | "none" => dispatch!(fixed, tensor.dtype(), T => {
            let (mut values, updates) = (slice::<T>(tensor)?.to_vec(), slice::<T>(updates)?);
            for (&position, update) in positions.iter().zip(updates) {
                values[position] = *update;
            }
            Ok(Tensor::new(tensor.shape(), values)?)
        }),
        _ => match tensor.dtype() {
            DType::Float => {
                let (mut values, updates) = (slice::<f32>(tensor)?.to_vec(), slice::<f32>(updates)?);
                combine_floats(&mut values, updates, positions, reduction)?;
                Ok(Tensor::new(tensor.shape(), values)?)
            }
            dtype if dtype.is_integer() || dtype == DType::Bool => {
                let (mut values, updates) = (ints(tensor)?, ints(updates)?);
                match reduction {
                    "add" => combine(&mut values, &updates, positions, |a, b| a + b),
                    "mul" => combine(&mut values, &updates, positions, i128::wrapping_mul),
                    "max" => combine(&mut values, &updates, positions, i128::max),
                    "min" => combine(&mut values, &updates, positions, i128::min),
                    other => return unknown(other),
                }
                from_ints(dtype, tensor.shape(), values)
            }
            dtype => {
                let (mut values, updates) = (floats(tensor)?, floats(updates)?);
                combine_floats(&mut values, &updates, positions, reduction)?;
                from_floats(dtype, tensor.shape(), values)
            }
        },
    }
}

fn unknown<T>(reduction: &str) -> Result<T, Problem> {
    invalid(format!("unknown reduction `{reduction}`"))
}

/// Combines floats with updates; NaN is both the maximum and the minimum.
fn combine_floats<T: Copy + PartialOrd + Add<Output = T> + Mul<Output = T>>(
    values: &mut [T],
    updates: &[T],
    positions: &[usize],
    reduction: &str,
) -> Result<(), Problem> {
    let is_nan = |a: T| a.partial_cmp(&a).is_none();
    match reduction {
        "add" => combine(values, updates, positions, |a, b| a + b),
        "mul" => combine(values, updates, positions, |a, b| a * b),
        "max" => combine(
            values,
            updates,
            positions,
            |a, b| if is_nan(a) || a > b { a } else { b },
        ),
        "min" => combine(
            values,
            updates,
            positions,
            |a, b| if is_nan(a) || a < b { a } else { b },
        ),
        other => return unknown(other),
    }
    Ok(())
}

/// Combines elements with updates, in order. Generic, so that the loop has no indirect call.
fn combine<T: Copy>(values: &mut [T], updates: &[T], positions: &[usize], by: impl Fn(T, T) -> T) {
    for (&update, &position) in updates.iter().zip(positions) {
        values[position] = by(values[position], update);
    }
}

/// Writes a cache at one position for each batch element; with mode `circular`, as a ring.
fn tensor_scatter(call: &Call) -> Outcome {
    let (past, update) = (call.tensor(0)?, call.tensor(1)?);
    let at = axis(call.attributes.int("axis")?, past.rank())?;
    let circular = match call.attributes.text("mode")? {
        "linear" => false,
        "circular" => true,
        other => return invalid(format!("unknown mode `{other}`, expected linear or circular")),
    };
    if at == 0 || update.rank() != past.rank() {
        return invalid("the axis must not be that of the batch, and the ranks must be equal");
    }
    let (outer, extent, inner) = split_at(past.shape(), at);
    let (updates_outer, added, updates_inner) = split_at(update.shape(), at);
    if (updates_outer, updates_inner) != (outer, inner) || added > extent {
        return invalid(format!(
            "an update of shape {:?} does not fit a cache of shape {:?} along axis {at}",
            update.shape(),
            past.shape()
        ));
    }
    let batches = past.shape()[0].max(1);
    let starts = match call.find_ints(2)? {
        Some(starts) if starts.len() == batches => starts,
        Some(_) => return invalid("expected one position for each batch element"),
        None => vec![0; batches],
    };
    let mut positions = Vec::with_capacity(update.len());
    for row in 0..outer {
        let start = starts[row / (outer / batches).max(1)];
        for along in 0..added {
            let place = start.saturating_add(along as i64);
            let place = if circular {
                place.rem_euclid(extent.max(1) as i64)
            } else {
                place
            };
            let place = index(place, extent)?;
            let first = (row * extent + place) * inner;
            positions.extend(first..first + inner);
        }
    }
    one(write(past, update, &positions, "none")?)
}
