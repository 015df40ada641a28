//! GatherElements — for each index, the element of the data at the coordinates of the index, with the index
//! itself as the coordinate along `axis`.
//!
//! Interpretation: along the other axes the extents of the indices must not exceed those of the data.

use super::indices::{element_positions, from_either_end};
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op(
    "GatherElements",
    &[v(11, First, gather), v(13, TypesOnly, gather)],
);

fn gather(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, shape) = (call.tensor(0)?, call.tensor(1)?.shape());
    let axis = axes::axis(call.int("axis")?, x.rank())?;
    call.reserve(shape, x.dtype())?;
    let positions = element_positions(x.shape(), shape, &call.integers(1)?, axis, from_either_end)?;
    one(layout::runs(x, shape, &positions, 1)?)
}
