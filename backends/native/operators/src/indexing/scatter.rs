//! ScatterElements, ScatterND, TensorScatter.

use std::ops::{Add, Mul};

use onnx_tensor::{DType, Tensor, dispatch};

use super::super::call::{axis, one};
use super::super::fast::{Fast, Placed};
use super::super::movement::{Run, assemble, split_at};
use super::super::numbers::{floats, from_floats, from_ints, ints, is_whole_bytes, slice};
use super::super::{Call, Outcome, Row, row};
use super::{Places, index};
use crate::error::{Problem, invalid};
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("Scatter", 9, SAME, scatter_elements).fast(Fast::Places(Placed::ScatterElements)),
    row("ScatterElements", 11, SAME, scatter_elements).fast(Fast::Places(Placed::ScatterElements)),
    row("ScatterND", 11, SAME, scatter_nd).fast(Fast::Places(Placed::ScatterRows)),
    row("TensorScatter", 24, SAME, tensor_scatter),
];

fn scatter_elements(call: &Call) -> Outcome {
    let (tensor, indices, updates) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    if indices.shape() != updates.shape() {
        return invalid("indices and updates differ in shape");
    }
    let mut places = Places::default();
    places.find_elements(tensor.shape(), indices.shape(), at, &call.wide_ints(1)?)?;
    one(write(
        tensor,
        updates,
        &places,
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
    let mut places = Places::default();
    places.find_rows(shape, indices.shape(), 0, &call.wide_ints(1)?)?;
    one(write(
        tensor,
        updates,
        &places,
        call.attributes.text("reduction")?,
    )?)
}

/// Writes updates at these places, combined with the present elements; later updates are applied after
/// earlier ones.
fn write(tensor: &Tensor, updates: &Tensor, places: &Places, reduction: &str) -> Result<Tensor, Problem> {
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
            let updated: Vec<Run> = (0..updates.len()).map(run(1)).collect();
            each_group(&mut sources, &updated, places, <[Run]>::copy_from_slice);
            assemble(&[tensor, updates], tensor.shape(), sources.into_iter())
        }
        "" | "none" => dispatch!(fixed, tensor.dtype(), T => {
            let (mut values, updates) = (slice::<T>(tensor)?.to_vec(), slice::<T>(updates)?);
            each_group(&mut values, updates, places, <[T]>::copy_from_slice);
            Ok(Tensor::new(tensor.shape(), values)?)
        }),
        _ => match tensor.dtype() {
            DType::Float => {
                let (mut values, updates) = (slice::<f32>(tensor)?.to_vec(), slice::<f32>(updates)?);
                combine_floats(&mut values, updates, places, reduction)?;
                Ok(Tensor::new(tensor.shape(), values)?)
            }
            dtype if is_whole_bytes(dtype) => dispatch!(int, dtype, T => {
                let (mut values, updates) = (slice::<T>(tensor)?.to_vec(), slice::<T>(updates)?);
                match reduction {
                    "add" => combine(&mut values, updates, places, T::wrapping_add),
                    "mul" => combine(&mut values, updates, places, T::wrapping_mul),
                    "max" => combine(&mut values, updates, places, Ord::max),
                    "min" => combine(&mut values, updates, places, Ord::min),
                    other => return unknown(other),
                }
                Ok(Tensor::new(tensor.shape(), values)?)
            }),
            dtype if dtype.is_integer() || dtype == DType::Bool => {
                let (mut values, updates) = (ints(tensor)?, ints(updates)?);
                match reduction {
                    "add" => combine(&mut values, &updates, places, |a, b| a + b),
                    "mul" => combine(&mut values, &updates, places, i128::wrapping_mul),
                    "max" => combine(&mut values, &updates, places, i128::max),
                    "min" => combine(&mut values, &updates, places, i128::min),
                    other => return unknown(other),
                }
                from_ints(dtype, tensor.shape(), values)
            }
            dtype => {
                let (mut values, updates) = (floats(tensor)?, floats(updates)?);
                combine_floats(&mut values, &updates, places, reduction)?;
                from_floats(dtype, tensor.shape(), values)
            }
        },
    }
}

fn unknown<T>(reduction: &str) -> Result<T, Problem> {
    invalid(format!("unknown reduction `{reduction}`"))
}

/// Writes floats at these places, combined with the present elements.
///
/// # Errors
/// An unknown reduction.
pub fn scatter_floats<T: Copy + PartialOrd + Add<Output = T> + Mul<Output = T>>(
    values: &mut [T],
    updates: &[T],
    places: &Places,
    reduction: &str,
) -> Result<(), Problem> {
    if matches!(reduction, "" | "none") {
        each_group(values, updates, places, <[T]>::copy_from_slice);
        return Ok(());
    }
    combine_floats(values, updates, places, reduction)
}

/// Combines floats with updates; NaN is both the maximum and the minimum.
fn combine_floats<T: Copy + PartialOrd + Add<Output = T> + Mul<Output = T>>(
    values: &mut [T],
    updates: &[T],
    places: &Places,
    reduction: &str,
) -> Result<(), Problem> {
    let is_nan = |a: T| a.partial_cmp(&a).is_none();
    match reduction {
        "add" => combine(values, updates, places, |a, b| a + b),
        "mul" => combine(values, updates, places, |a, b| a * b),
        "max" => combine(
            values,
            updates,
            places,
            |a, b| if is_nan(a) || a > b { a } else { b },
        ),
        "min" => combine(
            values,
            updates,
            places,
            |a, b| if is_nan(a) || a < b { a } else { b },
        ),
        other => return unknown(other),
    }
    Ok(())
}

/// Combines elements with updates, in order. Generic, so that the loop has no indirect call.
fn combine<T: Copy>(values: &mut [T], updates: &[T], places: &Places, by: impl Fn(T, T) -> T) {
    each_group(values, updates, places, |present, added| {
        for (value, &update) in present.iter_mut().zip(added) {
            *value = by(*value, update);
        }
    });
}

/// Calls `body` with each group of elements and its updates.
fn each_group<T: Copy>(values: &mut [T], updates: &[T], places: &Places, body: impl Fn(&mut [T], &[T])) {
    let starts = places.starts.iter();
    match places.length {
        // The compiler knows the length.
        1 => starts
            .zip(updates)
            .for_each(|(&start, update)| body(&mut values[start..=start], std::slice::from_ref(update))),
        length => starts
            .zip(updates.chunks_exact(length.max(1)))
            .for_each(|(&start, added)| body(&mut values[start..][..length], added)),
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
    let mut places = Places {
        starts: Vec::with_capacity(outer * added),
        length: inner,
    };
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
            places.starts.push((row * extent + place) * inner);
        }
    }
    one(write(past, update, &places, "none")?)
}
