//! Interprets index tensors and converts indices to row-major positions.

use crate::frame::{Call, Deviation, OpError};

/// How an index selects a position along an axis of a given extent.
pub(super) type ReadIndex = fn(i64, usize) -> Result<usize, OpError>;

/// An index in `[-extent, extent)`; a negative index counts from the back.
pub(super) fn from_either_end(index: i64, extent: usize) -> Result<usize, OpError> {
    let front = if index < 0 {
        index.saturating_add(extent as i64)
    } else {
        index
    };
    usize::try_from(front)
        .ok()
        .filter(|&front| front < extent)
        .ok_or_else(|| OpError::invalid(format!("index {index} is outside [-{extent}, {extent})")))
}

/// How versions interpret an index if their text does not mention negative indices (deviation
/// `negative-index`).
pub(super) fn older(call: &Call<'_>) -> ReadIndex {
    if call.tolerates(Deviation::NegativeIndex) {
        from_either_end
    } else {
        from_front
    }
}

/// An index in `[0, extent)`.
fn from_front(index: i64, extent: usize) -> Result<usize, OpError> {
    usize::try_from(index)
        .ok()
        .filter(|&front| front < extent)
        .ok_or_else(|| OpError::invalid(format!("index {index} is outside [0, {extent})")))
}

/// The row-major strides of a shape, in elements.
pub(super) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        // Only an empty tensor can overflow here, and none of its positions is read.
        strides[axis - 1] = shape[axis].saturating_mul(strides[axis]);
    }
    strides
}

/// For each element of `indices` (row-major, of `indices_shape`), the position in a tensor of `shape` at
/// the coordinates of the element, with the index itself as the coordinate along `axis`. The ranks are
/// equal.
pub(super) fn element_positions(
    shape: &[usize],
    indices_shape: &[usize],
    indices: &[i64],
    axis: usize,
    read: ReadIndex,
) -> Result<Vec<usize>, OpError> {
    let fits = shape.len() == indices_shape.len()
        && (0..shape.len()).all(|other| other == axis || indices_shape[other] <= shape[other]);
    if !fits {
        return Err(OpError::invalid(format!(
            "indices of shape {indices_shape:?} do not match the shape {shape:?} along axis {axis}"
        )));
    }
    let strides = strides(shape);
    let (&columns, outer) = indices_shape.split_last().unwrap_or((&1, &[]));
    let mut positions = Vec::with_capacity(indices.len());
    for (row, indices) in indices.chunks(columns.max(1)).enumerate() {
        // Where the row begins, without the coordinate along `axis`.
        let (mut rest, mut start) = (row, 0);
        for (other, &extent) in outer.iter().enumerate().rev() {
            start += if other == axis {
                0
            } else {
                rest % extent * strides[other]
            };
            rest /= extent;
        }
        let step = usize::from(axis != outer.len());
        for (column, &index) in indices.iter().enumerate() {
            positions.push(start + column * step + read(index, shape[axis])? * strides[axis]);
        }
    }
    Ok(positions)
}

/// For each tuple of `indices` (row-major; the last axis of `indices_shape` is the tuple), the position of
/// the slice of a tensor of `shape` that it selects, after `batch` shared leading axes. Also returns the
/// length of a slice.
pub(super) fn slice_positions(
    shape: &[usize],
    indices_shape: &[usize],
    indices: &[i64],
    batch: usize,
) -> Result<(Vec<usize>, usize), OpError> {
    let misfit = || {
        OpError::invalid(format!(
            "indices of shape {indices_shape:?} do not match the shape {shape:?} with {batch} batch axes"
        ))
    };
    let (&width, outer) = indices_shape.split_last().ok_or_else(misfit)?;
    let fits = batch < shape.len()
        && batch <= outer.len()
        && shape[..batch] == outer[..batch]
        && (1..=shape.len() - batch).contains(&width);
    if !fits {
        return Err(misfit());
    }
    let strides = strides(shape);
    let batch_size: usize = shape[batch..].iter().product();
    let tuples_in_batch: usize = outer[batch..].iter().product();
    let position = |(number, tuple): (usize, &[i64])| -> Result<usize, OpError> {
        let coordinates = tuple.iter().zip(&shape[batch..]).zip(&strides[batch..]);
        let inside = coordinates
            .map(|((&index, &extent), &stride)| Ok(from_either_end(index, extent)? * stride))
            .sum::<Result<usize, OpError>>()?;
        Ok(number / tuples_in_batch * batch_size + inside)
    };
    let positions = indices
        .chunks_exact(width)
        .enumerate()
        .map(position)
        .collect::<Result<_, _>>()?;
    Ok((positions, shape[batch + width..].iter().product()))
}
