//! ScatterND — writes each slice of the updates to the slice of the data that a tuple of indices selects.
//!
//! Version 16 adds the reductions `add` and `mul`, version 18 `max` and `min`, which 16 also accepts except
//! in a strict run (deviation `scatter-extremum`). `scattering` describes their rounding.

use super::indices::slice_positions;
use super::scattering::{self, Reduction};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "ScatterND",
    &[
        v(11, First, |call| scatter(call, Reduction::None)),
        v(13, TypesOnly, |call| scatter(call, Reduction::None)),
        v(16, Semantics, |call| {
            scatter(call, Reduction::of_version_16(call)?)
        }),
        v(18, Semantics, |call| {
            scatter(call, Reduction::all(call.string("reduction")?)?)
        }),
    ],
);

fn scatter(call: &Call<'_>, reduction: Reduction) -> Result<Outputs, OpError> {
    let (data, indices, updates) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let (starts, length) = slice_positions(data.shape(), indices.shape(), &call.integers(1)?, 0)?;
    let (width, outer) = indices
        .shape()
        .split_last()
        .map_or((0, &[][..]), |(&width, outer)| (width, outer));
    let expected = [outer, data.shape().get(width..).unwrap_or(&[])].concat();
    if updates.shape() != expected {
        return Err(OpError::invalid(format!(
            "the updates have shape {:?}, expected {expected:?}",
            updates.shape()
        )));
    }
    one(scattering::scatter(
        call,
        data,
        (&starts, length),
        updates,
        reduction,
    )?)
}
