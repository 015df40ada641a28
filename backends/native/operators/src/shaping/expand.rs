//! Expand, Tile and CenterCropPad.

use onnx_tensor::Tensor;

use super::super::broadcast::{broadcast_shape, expand};
use super::super::call::{axes, count, extents, one};
use super::super::fast::{Fast, Strided};
use super::super::movement::{reshape, strides, take_or, view};
use super::super::numbers::from_ints;
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("Expand", 8, First(|known| known.expand()), |call| {
        let tensor = call.tensor(0)?;
        let wanted = extents(&call.ints(1)?)?;
        one(expand(tensor, &broadcast_shape([tensor.shape(), &wanted])?)?)
    })
    .fast(Fast::Strided(Strided::Expand)),
    row("Tile", 6, First(|known| known.tile()), |call| {
        one(tile(call.tensor(0)?, &extents(&call.ints(1)?)?)?)
    })
    .fast(Fast::Strided(Strided::Tile))
    .requires(|node| match node.shape(0).zip(node.count(1)) {
        Some((x, repeats)) => one_repeat_each(x.len(), repeats),
        None => Ok(()),
    }),
    row(
        "CenterCropPad",
        18,
        First(|known| known.center_crop_pad()),
        center_crop_pad,
    ),
];

fn one_repeat_each(rank: usize, repeats: usize) -> Result<(), Problem> {
    if repeats == rank {
        Ok(())
    } else {
        invalid(format!(
            "expected one repeat for each axis, got {repeats} for {rank} axes"
        ))
    }
}

fn tile(tensor: &Tensor, repeats: &[usize]) -> Result<Tensor, Problem> {
    one_repeat_each(tensor.rank(), repeats.len())?;
    let checked = |(&extent, &times): (&usize, &usize)| extent.checked_mul(times);
    let shape: Option<Vec<usize>> = tensor.shape().iter().zip(repeats).map(checked).collect();
    let Some(shape) = shape else {
        return invalid(format!("repeats {repeats:?} exceed the limit"));
    };
    // Each axis becomes two: the repeats, with stride 0, and the axis itself.
    let doubled: Vec<usize> = repeats
        .iter()
        .zip(tensor.shape())
        .flat_map(|(&times, &extent)| [times, extent])
        .collect();
    let moves: Vec<usize> = strides(tensor.shape())
        .into_iter()
        .flat_map(|stride| [0, stride])
        .collect();
    reshape(&view(tensor, &doubled, &moves, 0)?, &shape)
}

/// Crops or zero-pads each listed axis to an extent, on both sides; the odd element is at the end.
fn center_crop_pad(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let wanted = extents(&call.ints(1)?)?;
    let listed = match call.attributes.ints("axes")? {
        Some(list) => {
            axes(list, tensor.rank())?;
            list.iter()
                .map(|&one| super::super::call::axis(one, tensor.rank()))
                .collect::<Result<Vec<_>, _>>()?
        }
        None => (0..tensor.rank()).collect(),
    };
    if listed.len() != wanted.len() {
        return invalid("the shape must have one extent for each axis");
    }
    let mut shape = tensor.shape().to_vec();
    for (&axis, &extent) in listed.iter().zip(&wanted) {
        shape[axis] = extent;
    }
    let total = count(&shape)?;
    let (own, target) = (strides(tensor.shape()), strides(&shape));
    let locate = |linear: usize| {
        let mut position = 0;
        for axis in 0..shape.len() {
            let index = (linear / target[axis]) % shape[axis];
            let (from, to) = (tensor.shape()[axis], shape[axis]);
            let index = if from >= to {
                index + (from - to) / 2
            } else {
                index.checked_sub((to - from) / 2)?
            };
            if index >= from {
                return None;
            }
            position += index * own[axis];
        }
        Some(position)
    };
    let positions: Vec<Option<usize>> = (0..total).map(locate).collect();
    let zero = from_ints(tensor.dtype(), &[1], vec![0])?;
    one(take_or(tensor, &zero, &shape, &positions)?)
}
