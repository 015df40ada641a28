//! Operators that ONNX has too, with other forms of their operands.

use onnx_model::AttributeValue::Int;
use onnx_tensor::{DType, Tensor};

use super::convolution::shared;
use super::elementwise::narrowed;
use super::{Row, contrib};
use crate::call::{axis, extent};
use crate::compose::{Composed, Composition, Id};
use crate::error::invalid;

pub const ROWS: &[Row] = &[
    contrib("ExpandDims", |c| {
        let (x, at) = (c.input(0)?, c.input(1)?);
        let at = c.cast(at, DType::Int64)?;
        let at = c.reshape(at, &[1])?;
        let y = c.apply("Unsqueeze", &[x, at], &[])?;
        c.give(0, y);
        Ok(())
    }),
    contrib("GatherND", |c| {
        let (x, indices) = (c.input(0)?, c.input(1)?);
        let indices = c.cast(indices, DType::Int64)?;
        let y = c.apply("GatherND", &[x, indices], &[])?;
        c.give(0, y);
        Ok(())
    }),
    contrib("GridSample", |c| {
        let given = shared(c, &["align_corners", "mode", "padding_mode"]);
        let (x, grid) = (c.input(0)?, c.input(1)?);
        let y = c.apply_of(("GridSample", 16), &[x, grid], &given)?;
        narrowed(c, y)
    }),
    contrib("Pad", |c| {
        let (x, pads) = (c.input(0)?, c.input(1)?);
        let pads = match c.shape(pads)?[..] {
            [_] => pads,
            [1, count] => c.reshape(pads, &[count])?,
            ref shape => return Ok(invalid(format!("`pads` has the shape {shape:?}"))?),
        };
        let value = c.find(2).map(|value| c.only(value, "value")).transpose()?;
        let given = shared(c, &["mode"]);
        let y = c.apply_some("Pad", &[Some(x), Some(pads), value], &given)?;
        narrowed(c, y)
    }),
    contrib("Range", |c| {
        let [start, limit] = [0, 1].map(|position| c.input(position));
        let (start, limit) = (c.only(start?, "start")?, c.only(limit?, "limit")?);
        let step = match c.find(2) {
            Some(step) => c.only(step, "delta")?,
            None => c.scalar(c.dtype(start)?, 1.0)?,
        };
        let y = c.apply("Range", &[start, limit, step], &[])?;
        c.give(0, y);
        Ok(())
    }),
    contrib("Trilu", |c| {
        let given = shared(c, &["upper"]);
        let (x, k) = (c.input(0)?, c.find(1));
        let y = c.apply_some("Trilu", &[Some(x), k], &given)?;
        c.give(0, y);
        Ok(())
    }),
    contrib("UnfoldTensor", unfold),
    contrib("Unique", |c| {
        let x = c.input(0)?;
        if c.rank(x)? != 1 {
            return Ok(invalid("the input must have rank 1")?);
        }
        let found = c.apply_many("Unique", &[Some(x)], &[("sorted", Int(0))], 4)?;
        // The first positions are no output here.
        for (position, result) in [found[0], found[2], found[3]].into_iter().enumerate() {
            c.give(position, result);
        }
        Ok(())
    }),
];

/// The slices of `size` elements along an axis, `step` apart, on a new last axis.
fn unfold(c: &mut Composition<'_>) -> Composed {
    let attributes = c.attributes();
    let x: Id = c.input(0)?;
    let shape = c.shape(x)?;
    let at = axis(attributes.int("dim")?, shape.len())?;
    let (size, step) = (extent(attributes.int("size")?)?, extent(attributes.int("step")?)?);
    if size == 0 || step == 0 || size > shape[at] {
        return Ok(invalid(format!(
            "slices of {size} elements, {step} apart, of an extent of {}",
            shape[at]
        ))?);
    }
    let count = (shape[at] - size) / step + 1;
    let places = (0..count).flat_map(|slice| (0..size).map(move |place| (slice * step + place) as i64));
    let places = Tensor::new(&[count, size], places.collect::<Vec<i64>>())?;
    let places = c.constant(places);
    let picked = c.apply("Gather", &[x, places], &[("axis", Int(at as i64))])?;
    let mut order: Vec<usize> = (0..=shape.len()).collect();
    order.remove(at + 1);
    order.push(at + 1);
    let y = c.transpose(picked, &order)?;
    c.give(0, y);
    Ok(())
}
