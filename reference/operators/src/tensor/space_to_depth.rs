//! SpaceToDepth — moves blocks of height and width of `[N, C, H, W]` into the depth; the inverse of
//! DepthToSpace.
//!
//! Versions 1 and 13 do not define the order; it is `DCR` (block row, block column, depth), the default of
//! version 28, which adds `mode`.

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
            "{h} by {w} is not divisible into blocks of {block} by {block}"
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

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// Two channels of one block each: 0 to 3 and 4 to 7.
    #[test]
    fn orders() {
        let block = attribute("blocksize", 2);
        for (mode, expected) in [
            ("DCR", [0_u8, 4, 1, 5, 2, 6, 3, 7]),
            ("CRD", [0, 1, 2, 3, 4, 5, 6, 7]),
        ] {
            let attributes = [block.clone(), attribute("mode", mode)];
            let deep = Tensor::new(&[1, 8, 1, 1], expected.to_vec()).unwrap();
            let flat = Tensor::new(&[1, 2, 2, 2], (0..8_u8).collect()).unwrap();
            exact(
                ("", "SpaceToDepth", 28),
                std::slice::from_ref(&flat),
                &attributes,
                std::slice::from_ref(&deep),
            );
            exact(("", "DepthToSpace", 28), &[deep], &attributes, &[flat]);
        }
    }
}
