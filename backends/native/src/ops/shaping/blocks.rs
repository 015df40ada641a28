//! DepthToSpace, SpaceToDepth, ReverseSequence, Trilu.

use onnx_tensor::Tensor;

use super::super::call::{axis, count, extent, one};
use super::super::movement::{reshape, split_at, strides, take, take_or};
use super::super::numbers::from_ints;
use super::super::{Call, Outcome, Row, row};
use super::transpose::transpose;
use crate::error::{Problem, invalid};
use crate::ops::shapes::SAME;
use crate::ops::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("DepthToSpace", 1, First(|known| known.depth_to_space()), |call| {
        let (tensor, [n, c, h, w], block) = image(call)?;
        let square = block.checked_mul(block).filter(|square| *square > 0);
        let Some(depth) = square.filter(|square| c % square == 0).map(|square| c / square) else {
            return invalid(format!("{c} channels are not a multiple of {block} squared"));
        };
        count(&[n, depth, h.saturating_mul(block), w.saturating_mul(block)])?;
        let columns_first = call.attributes.text("mode")? == "CRD";
        let (split, order) = match columns_first {
            true => ([n, depth, block, block, h, w], [0, 1, 4, 2, 5, 3]),
            false => ([n, block, block, depth, h, w], [0, 3, 4, 1, 5, 2]),
        };
        let moved = transpose(&reshape(tensor, &split)?, &order)?;
        one(reshape(&moved, &[n, depth, h * block, w * block])?)
    }),
    row("SpaceToDepth", 1, First(|known| known.space_to_depth()), |call| {
        let (tensor, [n, c, h, w], block) = image(call)?;
        if block == 0 || h % block != 0 || w % block != 0 {
            return invalid(format!("{h} rows and {w} columns are not multiples of {block}"));
        }
        let blocks = c.saturating_mul(block).saturating_mul(block);
        count(&[n, blocks, h / block, w / block])?;
        let split = reshape(tensor, &[n, c, h / block, block, w / block, block])?;
        // Before since 28 there is only one order.
        let columns_first = call.since >= 28 && call.attributes.text("mode")? == "CRD";
        let order = match columns_first {
            true => [0, 1, 3, 5, 2, 4],
            false => [0, 3, 5, 1, 2, 4],
        };
        let moved = transpose(&split, &order)?;
        one(reshape(&moved, &[n, blocks, h / block, w / block])?)
    }),
    row("ReverseSequence", 10, SAME, reverse_sequence),
    row("Trilu", 14, SAME, trilu),
];

fn image<'a>(call: &Call<'a>) -> Result<(&'a Tensor, [usize; 4], usize), Problem> {
    let tensor = call.tensor(0)?;
    let block = extent(call.attributes.int("blocksize")?)?;
    match *tensor.shape() {
        [n, c, h, w] => Ok((tensor, [n, c, h, w], block)),
        _ => invalid(format!("expected a tensor of rank 4, got {:?}", tensor.shape())),
    }
}

fn reverse_sequence(call: &Call) -> Outcome {
    let (tensor, lengths) = (call.tensor(0)?, call.ints(1)?);
    let batch = axis(call.attributes.int("batch_axis")?, tensor.rank())?;
    let time = axis(call.attributes.int("time_axis")?, tensor.rank())?;
    let shape = tensor.shape();
    if lengths.len() != shape[batch] {
        return invalid("expected one length for each sequence");
    }
    let own = strides(shape);
    let locate = |linear: usize| {
        let (at, which) = (
            (linear / own[time]) % shape[time],
            (linear / own[batch]) % shape[batch],
        );
        let length = usize::try_from(lengths[which]).unwrap_or(0).min(shape[time]);
        match at < length {
            true => linear - at * own[time] + (length - 1 - at) * own[time],
            false => linear,
        }
    };
    let positions: Vec<usize> = (0..tensor.len()).map(locate).collect();
    one(take(tensor, shape, &positions)?)
}

fn trilu(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let upper = call.attributes.flag("upper")?;
    let diagonal = if call.find(1).is_some() { call.int(1)? } else { 0 };
    let rank = tensor.rank();
    if rank < 2 {
        return invalid("expected a matrix");
    }
    let (_, rows, columns) = split_at(tensor.shape(), rank - 2);
    let keep = |linear: usize| {
        let (row, column) = ((linear / columns) % rows, linear % columns);
        let offset = (column as i64).saturating_sub(row as i64);
        let kept = if upper {
            offset >= diagonal
        } else {
            offset <= diagonal
        };
        kept.then_some(linear)
    };
    let positions: Vec<Option<usize>> = (0..tensor.len()).map(keep).collect();
    let zero = from_ints(tensor.dtype(), &[1], vec![0])?;
    one(take_or(tensor, &zero, tensor.shape(), &positions)?)
}
