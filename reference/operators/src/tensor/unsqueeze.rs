//! Unsqueeze — inserts axes of extent 1 at the positions `axes` of the output.
//!
//! `axes` is an attribute in versions 1 and 11 and an input since 13. In version 1 it must not be negative
//! in a strict run (deviation `negative-axis`). A repeated axis is an error (stated since version 11;
//! before, it is undefined).

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::axes::{self, ReadAxes};

pub const OP: OpDef = op(
    "Unsqueeze",
    &[
        v(1, First, |call| {
            unsqueeze(call, &call.ints("axes")?, axes::older_list(call))
        }),
        v(11, Semantics, |call| {
            unsqueeze(call, &call.ints("axes")?, axes::axes)
        }),
        v(13, Semantics, by_input),
        v(21, TypesOnly, by_input),
        v(23, TypesOnly, by_input),
        v(24, TypesOnly, by_input),
        v(25, TypesOnly, by_input),
    ],
);

fn by_input(call: &Call<'_>) -> Result<Outputs, OpError> {
    unsqueeze(call, &call.integers(1)?, axes::axes)
}

fn unsqueeze(call: &Call<'_>, list: &[i64], read: ReadAxes) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let mut shape = x.shape().to_vec();
    // In sorted order, each axis is inserted after those before it are in place.
    for axis in read(list, shape.len().saturating_add(list.len()))? {
        shape.insert(axis, 1);
    }
    one(x.reshape(&shape)?)
}
