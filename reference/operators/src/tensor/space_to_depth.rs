//! SpaceToDepth — moves blocks of height and width of `[N, C, H, W]` into the depth; the inverse of DepthToSpace.
//!
//! Versions 1 and 13 do not say in which order; it is `DCR` (block row, block column, depth), the default of version 28, which
//! lets `mode` choose.

use super::depth_to_space::{BlockOrder, block_and_extents};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op(
    "SpaceToDepth",
    &[
        v(1, First, |call| rearrange(call, BlockOrder::DepthLast)),
        v(13, TypesOnly, |call| rearrange(call, BlockOrder::DepthLast)),
        v(28, Semantics, |call| {
            rearrange(call, BlockOrder::named(call.string("mode")?)?)
        }),
    ],
);

fn rearrange(call: &Call<'_>, order: BlockOrder) -> Result<Outputs, OpError> {
    let (block, [n, c, h, w]) = block_and_extents(call)?;
    if !h.is_multiple_of(block) || !w.is_multiple_of(block) {
        return Err(OpError::invalid(format!(
            "{h} by {w} are no blocks of {block} by {block}"
        )));
    }
    let parts = call
        .tensor(0)?
        .reshape(&[n, c, h / block, block, w / block, block])?;
    let axes = match order {
        BlockOrder::DepthLast => [0, 3, 5, 1, 2, 4],
        BlockOrder::DepthFirst => [0, 1, 3, 5, 2, 4],
    };
    let depth = c.checked_mul(block).and_then(|depth| depth.checked_mul(block));
    let depth =
        depth.ok_or_else(|| OpError::invalid(format!("{c} channels times {block} by {block} overflow")))?;
    one(layout::permute(&parts, &axes)?.reshape(&[n, depth, h / block, w / block])?)
}
