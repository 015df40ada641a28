//! CenterCropPad — crops or zero-pads axes about their center to given extents.
//!
//! The start of a crop is rounded down; an odd number of padded positions puts the additional one at the
//! end. Interpretation: a repeated axis is undefined.

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::axes;
use crate::shared::layout::{self, AxisMap};

pub const OP: OpDef = op("CenterCropPad", &[v(18, First, crop_or_pad)]);

fn crop_or_pad(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let wanted = layout::extents(&call.integers(1)?)?;
    let named = match call.optional_ints("axes")? {
        Some(named) => named
            .iter()
            .map(|&axis| axes::axis(axis, x.rank()))
            .collect::<Result<_, _>>()?,
        None => (0..x.rank()).collect::<Vec<_>>(),
    };
    if named.len() != wanted.len() {
        return Err(OpError::invalid(format!(
            "expected one extent for each axis, got {} extents for {} axes",
            wanted.len(),
            named.len()
        )));
    }
    let mut shape = x.shape().to_vec();
    let mut seen = vec![false; shape.len()];
    for (&axis, &extent) in named.iter().zip(&wanted) {
        if std::mem::replace(&mut seen[axis], true) {
            return Err(OpError::undefined(format!("axis {axis} is repeated")));
        }
        shape[axis] = extent;
    }
    call.reserve(&shape, x.dtype())?;
    if shape.contains(&0) {
        return one(layout::empty(x.dtype(), &shape)?);
    }
    let maps: Vec<AxisMap> = x
        .shape()
        .iter()
        .zip(&shape)
        .map(|(&from, &to)| centred(from, to))
        .collect();
    one(layout::remap(x, &maps, Some(&layout::zero(x.dtype())?))?)
}

fn centred(from: usize, to: usize) -> AxisMap {
    let (crop, before) = (from.saturating_sub(to) / 2, to.saturating_sub(from) / 2);
    (0..to)
        .map(|at| at.checked_sub(before).map(|at| at + crop).filter(|&at| at < from))
        .collect()
}
