//! ScatterElements — writes each update to the element of the data at the coordinates of the update, with
//! the index as the coordinate along `axis`.
//!
//! Version 16 adds the reductions `add` and `mul`, version 18 `max` and `min`, which 16 also accepts except
//! in a strict run (deviation `scatter-extremum`). `scattering` describes their rounding.

use super::indices::{ReadIndex, element_positions, from_either_end};
use super::scattering::{self, Reduction};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::axes;

pub const OP: OpDef = op(
    "ScatterElements",
    &[
        v(11, First, |call| scatter(call, from_either_end, Reduction::None)),
        v(13, TypesOnly, |call| {
            scatter(call, from_either_end, Reduction::None)
        }),
        v(16, Semantics, |call| {
            scatter(call, from_either_end, Reduction::of_version_16(call)?)
        }),
        v(18, Semantics, |call| {
            scatter(call, from_either_end, Reduction::all(call.string("reduction")?)?)
        }),
    ],
);

pub(super) fn scatter(call: &Call<'_>, read: ReadIndex, reduction: Reduction) -> Result<Outputs, OpError> {
    let (data, indices, updates) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    if indices.shape() != updates.shape() {
        let (indices, updates) = (indices.shape(), updates.shape());
        return Err(OpError::invalid(format!(
            "updates of shape {updates:?} do not match indices of shape {indices:?}"
        )));
    }
    let axis = axes::axis(call.int("axis")?, data.rank())?;
    let starts = element_positions(data.shape(), indices.shape(), &call.integers(1)?, axis, read)?;
    one(scattering::scatter(call, data, (&starts, 1), updates, reduction)?)
}
