//! DepthToSpace, SpaceToDepth, ReverseSequence, Trilu.

use onnx_tensor::Tensor;

use super::super::call::{count, extent, one};
use super::super::movement::{Run, assemble, reshape, split_at, strides};
use super::super::numbers::from_ints;
use super::super::{Call, Outcome, Row, row};
use super::transpose::transpose;
use crate::error::{Problem, invalid};
use crate::shapes::SAME;
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("DepthToSpace", 1, First(|known| known.depth_to_space()), |call| {
        let (tensor, [n, c, h, w], block) = image(call)?;
        let square = block.checked_mul(block).filter(|square| *square > 0);
        let Some(depth) = square.filter(|square| c % square == 0).map(|square| c / square) else {
            return invalid(format!("{c} channels are not a multiple of {block} squared"));
        };
        count(&[n, depth, h.saturating_mul(block), w.saturating_mul(block)])?;
        let columns_first = call.attributes.text("mode")? == "CRD";
        let (split, order) = if columns_first {
            ([n, depth, block, block, h, w], [0, 1, 4, 2, 5, 3])
        } else {
            ([n, block, block, depth, h, w], [0, 3, 4, 1, 5, 2])
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
        let order = if columns_first {
            [0, 1, 3, 5, 2, 4]
        } else {
            [0, 3, 5, 1, 2, 4]
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
    let shape = tensor.shape();
    let given = [
        call.attributes.int("batch_axis")?,
        call.attributes.int("time_axis")?,
    ];
    let [batch, time] = match given {
        [0, 1] => [0, 1],
        [1, 0] => [1, 0],
        [batch, time] => {
            return invalid(format!(
                "`batch_axis` is {batch} and `time_axis` {time}; they must be 0 and 1"
            ));
        }
    };
    if shape.len() < 2 {
        return invalid(format!(
            "expected a batch and a time axis, got the shape {shape:?}"
        ));
    }
    let fits = |&length: &i64| usize::try_from(length).is_ok_and(|length| length <= shape[time]);
    if lengths.len() != shape[batch] || !lengths.iter().all(fits) {
        return invalid(format!(
            "expected a length of at most {} for each of {} sequences, got {lengths:?}",
            shape[time], shape[batch]
        ));
    }
    let own = strides(shape);
    let locate = |start: usize| {
        let (at, which) = (
            (start / own[time]) % shape[time],
            (start / own[batch]) % shape[batch],
        );
        let length = usize::try_from(lengths[which]).unwrap_or(0).min(shape[time]);
        if at < length {
            start - at * own[time] + (length - 1 - at) * own[time]
        } else {
            start
        }
    };
    // Elements behind both axes stay together.
    let length: usize = shape[batch.max(time) + 1..].iter().product();
    let runs = (0..tensor.len()).step_by(length.max(1)).map(|start| Run {
        source: 0,
        start: locate(start),
        length,
    });
    one(assemble(&[tensor], shape, runs)?)
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
    let bound = |row: usize| {
        let first = (row as i64)
            .saturating_add(diagonal)
            .saturating_add(i64::from(!upper));
        usize::try_from(first).unwrap_or(0).min(columns)
    };
    let zeros = from_ints(tensor.dtype(), &[columns], vec![0; columns])?;
    let runs = (0..tensor.len() / columns.max(1)).flat_map(|row| {
        let bound = bound(row % rows);
        let part = |source, start, length| Run {
            source,
            start,
            length,
        };
        let start = row * columns;
        if upper {
            [part(1, 0, bound), part(0, start + bound, columns - bound)]
        } else {
            [part(0, start, bound), part(1, bound, columns - bound)]
        }
    });
    one(assemble(&[tensor, &zeros], tensor.shape(), runs)?)
}
