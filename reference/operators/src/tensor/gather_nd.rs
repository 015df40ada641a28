//! GatherND — for each tuple of indices, the slice of the data that it selects; since version 12 with
//! `batch_dims` leading axes that data and indices share.

use super::indices::slice_positions;
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op(
    "GatherND",
    &[
        v(11, First, |call| gather(call, 0)),
        v(12, Semantics, |call| gather(call, call.int("batch_dims")?)),
        v(13, TypesOnly, |call| gather(call, call.int("batch_dims")?)),
    ],
);

fn gather(call: &Call<'_>, batch: i64) -> Result<Outputs, OpError> {
    let (x, indices) = (call.tensor(0)?, call.tensor(1)?);
    let batch = usize::try_from(batch).map_err(|_| OpError::invalid("`batch_dims` is negative"))?;
    let (starts, length) = slice_positions(x.shape(), indices.shape(), &call.integers(1)?, batch)?;
    let (width, outer) = indices
        .shape()
        .split_last()
        .map_or((0, &[][..]), |(&width, outer)| (width, outer));
    let shape = [outer, x.shape().get(batch + width..).unwrap_or(&[])].concat();
    call.reserve(&shape, x.dtype())?;
    one(layout::runs(x, &shape, &starts, length)?)
}
