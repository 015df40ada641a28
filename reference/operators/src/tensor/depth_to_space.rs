//! DepthToSpace — moves blocks of the depth of `[N, C, H, W]` to height and width.
//!
//! The depth is interpreted as (block row, block column, depth) in mode `DCR`, the only mode of version 1,
//! and as (depth, block row, block column) in mode `CRD`.

use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op(
    "DepthToSpace",
    &[
        v(1, First, |call| rearrange(call, BlockOrder::DepthLast)),
        v(11, Semantics, |call| {
            rearrange(call, BlockOrder::named(call.string("mode")?)?)
        }),
        v(13, TypesOnly, |call| {
            rearrange(call, BlockOrder::named(call.string("mode")?)?)
        }),
        v(28, Wording, |call| {
            rearrange(call, BlockOrder::named(call.string("mode")?)?)
        }),
    ],
);

/// The position of the depth among the parts of the combined depth axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockOrder {
    /// `DCR`: block row, block column, depth.
    DepthLast,
    /// `CRD`: depth, block row, block column.
    DepthFirst,
}

impl BlockOrder {
    pub(super) fn named(mode: &str) -> Result<BlockOrder, OpError> {
        match mode {
            "DCR" => Ok(BlockOrder::DepthLast),
            "CRD" => Ok(BlockOrder::DepthFirst),
            _ => Err(OpError::invalid(format!(
                "`mode` is {mode:?}, expected DCR or CRD"
            ))),
        }
    }
}

/// The block size, which must be positive, and the extents of input 0.
pub(super) fn block_and_extents(call: &Call<'_>) -> Result<(usize, [usize; 4]), OpError> {
    let block = usize::try_from(call.int("blocksize")?)
        .ok()
        .filter(|&block| block > 0);
    let block = block.ok_or_else(|| OpError::invalid("`blocksize` must be positive"))?;
    let shape = call.tensor(0)?.shape();
    let extents = <[usize; 4]>::try_from(shape);
    Ok((
        block,
        extents
            .map_err(|_| OpError::invalid(format!("the input has shape {shape:?}, expected [N, C, H, W]")))?,
    ))
}

fn rearrange(call: &Call<'_>, order: BlockOrder) -> Result<Outputs, OpError> {
    let (block, [n, c, h, w]) = block_and_extents(call)?;
    let depth = block
        .checked_mul(block)
        .filter(|&area| c.is_multiple_of(area))
        .map(|area| c / area);
    let depth = depth.ok_or_else(|| {
        OpError::invalid(format!(
            "{c} channels are not divisible into blocks of {block} by {block}"
        ))
    })?;
    let (parts, axes) = match order {
        BlockOrder::DepthLast => ([n, block, block, depth, h, w], [0, 3, 4, 1, 5, 2]),
        BlockOrder::DepthFirst => ([n, depth, block, block, h, w], [0, 1, 4, 2, 5, 3]),
    };
    let moved = layout::permute(&call.tensor(0)?.reshape(&parts)?, &axes)?;
    let extent = |extent: usize| {
        extent
            .checked_mul(block)
            .ok_or_else(|| OpError::invalid(format!("{extent} times {block} overflows")))
    };
    one(moved.reshape(&[n, depth, extent(h)?, extent(w)?])?)
}
