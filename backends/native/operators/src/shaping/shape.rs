//! Operators that keep the order of elements: Reshape, Flatten, Squeeze, Unsqueeze; and Shape and Size.

use std::ops::Range;

use onnx_tensor::Tensor;

use super::super::call::{axes, axis, one};
use super::super::movement::reshape;
use super::super::{Call, Outcome, Row, row};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use crate::shapes::SCALAR;
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("Reshape", 1, First(|known| known.reshape()), |call| {
        let tensor = call.tensor(0)?;
        let allow_zero = call.attributes.flag("allowzero")?;
        // In version 1 the shape is an attribute.
        let Some(wanted) = call.ints_or_attribute(1, "shape")? else {
            return invalid("the shape is missing");
        };
        one(reshape(tensor, &reshaped(tensor.shape(), &wanted, allow_zero)?)?)
    })
    .view(),
    row("Flatten", 1, First(|known| known.flatten()), flatten)
        .requires(|node| match node.attributes.int("axis")? {
            at @ ..0 if node.since < 11 => {
                invalid(format!("`axis` is {at}, and this version has no negative axes"))
            }
            _ => Ok(()),
        })
        .view(),
    row("Squeeze", 1, First(|known| known.squeeze()), squeeze).view(),
    row("Unsqueeze", 1, First(|known| known.unsqueeze()), unsqueeze).view(),
    row("Shape", 1, First(|known| known.shape_of_shape()), shape),
    row("Size", 1, SCALAR, |call| {
        let size = i64::try_from(call.tensor(0)?.len()).unwrap_or(i64::MAX);
        one(Tensor::scalar(size))
    }),
];

/// Returns the output shape of Reshape: 0 keeps an extent (unless `allow_zero`), −1 is inferred.
pub fn reshaped(from: &[usize], wanted: &[i64], allow_zero: bool) -> Result<Vec<usize>, Problem> {
    let mut shape = Vec::with_capacity(wanted.len());
    let mut open = None;
    for (position, &value) in wanted.iter().enumerate() {
        shape.push(match value {
            -1 if open.is_none() => {
                open = Some(position);
                1
            }
            0 if !allow_zero => match from.get(position) {
                Some(&extent) => extent,
                None => {
                    return invalid(format!(
                        "the shape {wanted:?} keeps an axis that the input does not have"
                    ));
                }
            },
            value => match usize::try_from(value) {
                Ok(extent) => extent,
                Err(_) => return invalid(format!("{wanted:?} is not a shape")),
            },
        });
    }
    if let Some(position) = open {
        let total = super::super::call::count(from)?;
        let rest = super::super::call::count(&shape)?;
        match total.checked_div(rest) {
            Some(extent) if extent * rest == total => shape[position] = extent,
            _ => return invalid(format!("{total} elements do not fill the shape {wanted:?}")),
        }
    }
    Ok(shape)
}

fn flatten(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let rank = tensor.rank();
    let given = call.attributes.int("axis")?;
    let at = if usize::try_from(given) == Ok(rank) {
        rank
    } else {
        axis(given, rank)?
    };
    let (before, after) = tensor.shape().split_at(at);
    one(reshape(
        tensor,
        &[before.iter().product(), after.iter().product()],
    )?)
}

fn squeeze(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let listed = match call.ints_or_attribute(1, "axes")? {
        Some(list) => axes(&list, tensor.rank())?,
        None => (0..tensor.rank())
            .filter(|&axis| tensor.shape()[axis] == 1)
            .collect(),
    };
    if let Some(axis) = listed.iter().find(|&&axis| tensor.shape()[axis] != 1) {
        return invalid(format!("axis {axis} has extent {}, not 1", tensor.shape()[*axis]));
    }
    let kept = (0..tensor.rank()).filter(|axis| !listed.contains(axis));
    let shape: Vec<usize> = kept.map(|axis| tensor.shape()[axis]).collect();
    one(reshape(tensor, &shape)?)
}

fn unsqueeze(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let Some(list) = call.ints_or_attribute(1, "axes")? else {
        return invalid("axes are missing");
    };
    let mut shape = tensor.shape().to_vec();
    for axis in axes(&list, tensor.rank() + list.len())? {
        if axis > shape.len() {
            return invalid(format!("axis {axis} is out of range of the result"));
        }
        shape.insert(axis, 1);
    }
    one(reshape(tensor, &shape)?)
}

/// Returns the axes whose extents Shape returns: from since 15 on a range, clamped.
pub fn listed_axes(attributes: &Attributes, rank: usize) -> Range<usize> {
    let signed = i64::try_from(rank).unwrap_or(i64::MAX);
    let bound = |name: &str, default: i64| {
        let at = attributes.find_int(name).ok().flatten().unwrap_or(default);
        (if at < 0 { at.saturating_add(signed) } else { at }).clamp(0, signed) as usize
    };
    let (start, end) = (bound("start", 0), bound("end", signed));
    start..end.max(start)
}

fn shape(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let range = &tensor.shape()[listed_axes(call.attributes, tensor.rank())];
    let extent = |&extent: &usize| i64::try_from(extent).unwrap_or(i64::MAX);
    one(Tensor::vector(range.iter().map(extent).collect::<Vec<i64>>()))
}
