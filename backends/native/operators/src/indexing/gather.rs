//! Gather, GatherElements, GatherND, Compress, ArrayFeatureExtractor.

use onnx_tensor::{Tensor, dispatch};

use super::super::call::{axis, count, extent, one};
use super::super::fast::{Fast, Placed};
use super::super::movement::{Run, assemble, reshape, split_at, take};
use super::super::numbers::{bools, slice};
use super::super::{Call, Outcome, Row, row, row_of};
use super::Places;
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::{First, Open};

pub const ROWS: &[Row] = &[
    row("Gather", 1, First(|known| known.gather()), gather).fast(Fast::Gather),
    row(
        "GatherElements",
        11,
        First(|known| known.shape_like(1)),
        gather_elements,
    )
    .fast(Fast::Places(Placed::GatherElements)),
    row("GatherND", 11, First(|known| known.gather_nd()), gather_nd).fast(Fast::Places(Placed::GatherRows)),
    row(
        "Compress",
        9,
        Open("the condition decides how many elements are kept", |known| {
            Some(vec![known.compress()])
        }),
        compress,
    ),
    row_of(
        "ai.onnx.ml",
        "ArrayFeatureExtractor",
        1,
        First(|known| known.extracted()),
        |call| {
            let tensor = call.tensor(0)?;
            let last = tensor.rank().saturating_sub(1);
            let indices = call.ints(1)?;
            if let Some(index) = indices.iter().find(|&&index| index < 0) {
                return invalid(format!("index {index} is negative"));
            }
            let picked = pick(tensor, last, &[indices.len()], &indices)?;
            match tensor.rank() {
                1 => one(reshape(&picked, &[1, picked.len()])?),
                _ => one(picked),
            }
        },
    ),
];

/// Resolves an index, which counts from the end if negative.
pub fn index(value: i64, extent: usize) -> Result<usize, Problem> {
    let resolved = if value < 0 {
        value.saturating_add(extent as i64)
    } else {
        value
    };
    let resolved = usize::try_from(resolved).ok().filter(|&at| at < extent);
    resolved.ok_or_else(|| {
        Problem::Invalid(format!(
            "index {value} is out of range for an axis of extent {extent}"
        ))
    })
}

fn gather(call: &Call) -> Outcome {
    let (tensor, indices) = (call.tensor(0)?, call.tensor(1)?);
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    one(pick(tensor, at, indices.shape(), &call.wide_ints(1)?)?)
}

fn pick(tensor: &Tensor, at: usize, index_shape: &[usize], indices: &[i64]) -> Result<Tensor, Problem> {
    if at >= tensor.rank() {
        return invalid("cannot gather along an axis of a scalar");
    }
    let (outer, extent, inner) = split_at(tensor.shape(), at);
    let mut rows = Vec::with_capacity(indices.len());
    for &value in indices {
        rows.push(index(value, extent)?);
    }
    let shape = [&tensor.shape()[..at], index_shape, &tensor.shape()[at + 1..]].concat();
    let length = count(&shape)?;
    if let (Tensor::String(_), 1..) = (tensor, length) {
        let starts = (0..outer).flat_map(|outer| rows.iter().map(move |row| (outer * extent + row) * inner));
        let runs = starts.map(|start| Run {
            source: 0,
            start,
            length: inner,
        });
        return assemble(&[tensor], &shape, runs);
    }
    dispatch!(all, tensor.dtype(), T => {
        let mut picked: Vec<T> = Vec::with_capacity(length);
        pick_rows(&mut picked, slice(tensor)?, &rows, extent, inner);
        Ok(Tensor::new(&shape, picked)?)
    })
}

/// Appends the rows of `inner` elements with these numbers from each group of `extent` rows.
fn pick_rows<T: Clone>(picked: &mut Vec<T>, source: &[T], rows: &[usize], extent: usize, inner: usize) {
    if rows.is_empty() || inner == 0 {
        return;
    }
    for group in source.chunks_exact(extent * inner) {
        match inner {
            1 => picked.extend(rows.iter().map(|&row| group[row].clone())),
            _ => rows
                .iter()
                .for_each(|row| picked.extend_from_slice(&group[row * inner..][..inner])),
        }
    }
}

fn gather_elements(call: &Call) -> Outcome {
    let (tensor, indices) = (call.tensor(0)?, call.tensor(1)?);
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    let mut places = Places::default();
    places.find_elements(tensor.shape(), indices.shape(), at, &call.wide_ints(1)?)?;
    one(taken(tensor, indices.shape(), &places)?)
}

fn gather_nd(call: &Call) -> Outcome {
    let (tensor, indices) = (call.tensor(0)?, call.tensor(1)?);
    let batch = extent(call.attributes.find_int("batch_dims")?.unwrap_or(0))?;
    let Some((&width, rows)) = indices.shape().split_last() else {
        return invalid("indices must not be a scalar");
    };
    let shape = tensor.shape();
    let covered = batch.saturating_add(width);
    if covered > shape.len() || batch > rows.len() || rows[..batch] != shape[..batch] {
        return invalid(format!(
            "indices of shape {:?} do not match shape {shape:?}",
            indices.shape()
        ));
    }
    let mut result = rows.to_vec();
    result.extend(&shape[covered..]);
    count(&result)?;
    let mut places = Places::default();
    places.find_rows(shape, indices.shape(), batch, &call.wide_ints(1)?)?;
    one(taken(tensor, &result, &places)?)
}

/// Makes a tensor of `shape` of the elements at these places.
fn taken(tensor: &Tensor, shape: &[usize], places: &Places) -> Result<Tensor, Problem> {
    match places.length {
        1 => take(tensor, shape, &places.starts),
        _ => assemble(&[tensor], shape, places.runs()),
    }
}

fn compress(call: &Call) -> Outcome {
    let (tensor, condition) = (call.tensor(0)?, bools(call.tensor(1)?)?);
    let (tensor, at) = match call.attributes.find_int("axis")? {
        Some(given) => (tensor.clone(), axis(given, tensor.rank())?),
        None => (reshape(tensor, &[tensor.len()])?, 0),
    };
    let extent = tensor.shape()[at];
    if condition.len() > extent {
        return invalid(format!(
            "a condition of {} elements is longer than an axis of {extent}",
            condition.len()
        ));
    }
    let kept = condition.iter().enumerate().filter(|(_, keep)| **keep);
    let kept: Vec<i64> = kept.map(|(position, _)| position as i64).collect();
    one(pick(&tensor, at, &[kept.len()], &kept)?)
}
