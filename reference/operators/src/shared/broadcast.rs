//! Broadcasting (`docs/Broadcasting.md` of ONNX), and the unidirectional form with `axis` before opset 7.

use std::borrow::Cow;

use ndarray::{ArrayViewD, IxDyn};
use onnx_tensor::{Array, row_major};

use crate::frame::{Call, OpError};
use crate::shared::axes;

/// The shape to which all of `shapes` broadcast.
pub fn shape(shapes: &[&[usize]]) -> Result<Vec<usize>, OpError> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut result = vec![1; rank];
    for shape in shapes {
        for (have, &extent) in result[rank - shape.len()..].iter_mut().zip(*shape) {
            match (*have, extent) {
                (_, 1) => {}
                (1, _) => *have = extent,
                (a, b) if a == b => {}
                _ => {
                    return Err(OpError::invalid(format!(
                        "shapes {shapes:?} do not broadcast together"
                    )));
                }
            }
        }
    }
    Ok(result)
}

/// A view of `array` with a shape to which it broadcasts.
pub fn view<'a, T>(array: &'a Array<T>, shape: &[usize]) -> Result<ArrayViewD<'a, T>, OpError> {
    let misfit = || {
        OpError::invalid(format!(
            "shape {:?} does not broadcast to {shape:?}",
            array.shape()
        ))
    };
    array.broadcast(IxDyn(shape)).ok_or_else(misfit)
}

/// The elements of `array`, broadcast to `shape`, in row-major order.
pub fn elements<'a, T: Clone>(array: &'a Array<T>, shape: &[usize]) -> Result<Cow<'a, [T]>, OpError> {
    let wide = view(array, shape)?.len();
    let dense = row_major(array);
    if array.shape() == shape {
        return Ok(dense);
    }
    let mut from = vec![1; shape.len() - array.ndim()];
    from.extend_from_slice(array.shape());
    let mut result = Vec::with_capacity(wide);
    if wide > 0 {
        stretch(&dense, &from, shape, &mut result);
    }
    Ok(Cow::Owned(result))
}

/// Appends `source`, row-major of shape `from`, broadcast to the shape `to` of the same rank. Neither shape
/// is empty.
fn stretch<T: Clone>(source: &[T], from: &[usize], to: &[usize], result: &mut Vec<T>) {
    let ([have, from_rest @ ..], [want, to_rest @ ..]) = (from, to) else {
        return result.extend_from_slice(source);
    };
    if from == to {
        return result.extend_from_slice(source);
    }
    let start = result.len();
    for part in source.chunks(source.len() / have) {
        stretch(part, from_rest, to_rest, result);
    }
    let (end, copies) = (result.len(), want / have);
    if let (1, Some(value)) = (end - start, result.last().cloned()) {
        return result.resize(start + copies, value);
    }
    for _ in 1..copies {
        result.extend_from_within(start..end);
    }
}

/// The second operand of a binary operator below opset 7, reshaped so that it broadcasts to the shape of
/// the first. With `broadcast` = 0 both shapes must be equal. With `broadcast` = 1 the second shape is a
/// contiguous part of the first, which starts at `axis` or, without it, ends at the last axis (an extent of
/// 1 is broadcast).
pub fn legacy_operand<T: Clone>(
    call: &Call<'_>,
    first: &[usize],
    second: &Array<T>,
) -> Result<Array<T>, OpError> {
    let misfit = |rule: &str| {
        OpError::invalid(format!(
            "shape {:?} does not fit {first:?}: {rule}",
            second.shape()
        ))
    };
    if !call.flag("broadcast")? {
        return if first == second.shape() {
            Ok(second.clone())
        } else {
            Err(misfit("`broadcast` is 0"))
        };
    }
    let trailing = match call.optional_int("axis")? {
        None => 0,
        Some(axis) => (first.len() - axes::axis(axis, first.len())?)
            .checked_sub(second.ndim())
            .ok_or_else(|| misfit("it has too many axes to start at `axis`"))?,
    };
    let padded: Vec<usize> = second
        .shape()
        .iter()
        .copied()
        .chain(std::iter::repeat_n(1, trailing))
        .collect();
    let reshaped = second.to_shape(IxDyn(&padded))?.into_owned().into_shared();
    if shape(&[first, &padded])? != first {
        return Err(misfit("only the second operand is broadcast"));
    }
    Ok(reshaped)
}
