//! Squeeze — removes axes of extent 1: those in `axes`, or all of them without it.
//!
//! `axes` is an attribute in versions 1 and 11 and an input since 13. In version 1 it must not be negative
//! in a strict run (deviation `negative-axis`).

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::axes::{self, ReadAxes};

pub const OP: OpDef = op(
    "Squeeze",
    &[
        v(1, First, |call| {
            squeeze(call, call.optional_ints("axes")?, axes::older_list(call))
        }),
        v(11, Semantics, |call| {
            squeeze(call, call.optional_ints("axes")?, axes::axes)
        }),
        v(13, Semantics, by_input),
        v(21, TypesOnly, by_input),
        v(23, TypesOnly, by_input),
        v(24, TypesOnly, by_input),
        v(25, TypesOnly, by_input),
    ],
);

fn by_input(call: &Call<'_>) -> Result<Outputs, OpError> {
    squeeze(call, call.optional_integers(1)?, axes::axes)
}

fn squeeze(call: &Call<'_>, list: Option<Vec<i64>>, read: ReadAxes) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let shape = x.shape();
    let removed = match list {
        Some(list) => read(&list, shape.len())?,
        None => (0..shape.len()).filter(|&axis| shape[axis] == 1).collect(),
    };
    if let Some(&axis) = removed.iter().find(|&&axis| shape[axis] != 1) {
        return Err(OpError::invalid(format!(
            "axis {axis} of shape {shape:?} does not have extent 1"
        )));
    }
    let kept = (0..shape.len())
        .filter(|axis| !removed.contains(axis))
        .map(|axis| shape[axis]);
    one(x.reshape(&kept.collect::<Vec<_>>())?)
}
