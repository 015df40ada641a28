//! ReverseSequence — reverses the first `sequence_lens[batch]` positions of the time axis of each batch
//! entry; the other positions are unchanged. One of the two axes is 0 and the other is 1.

use super::indices::strides;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op(
    "ReverseSequence",
    &[v(10, First, reverse), v(28, TypesOnly, reverse)],
);

fn reverse(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let time_first = match (call.int("time_axis")?, call.int("batch_axis")?) {
        (0, 1) => true,
        (1, 0) => false,
        (time, batch) => {
            return Err(OpError::invalid(format!(
                "`time_axis` {time} and `batch_axis` {batch} must be 0 and 1"
            )));
        }
    };
    let [rows, columns] = [layout::extent(x, 0)?, layout::extent(x, 1)?];
    let (steps, batches) = if time_first {
        (rows, columns)
    } else {
        (columns, rows)
    };
    let lengths = layout::extents(&call.integers(1)?)?;
    if lengths.len() != batches || lengths.iter().any(|&length| length > steps) {
        return Err(OpError::invalid(format!(
            "the lengths {lengths:?} do not match {batches} batch entries of {steps} steps"
        )));
    }
    let source = |time: usize, batch: usize| match lengths[batch] {
        length if time < length => length - 1 - time,
        _ => time,
    };
    let block = strides(x.shape())[1];
    let start = |row: usize, column: usize| {
        if time_first {
            (source(row, column) * columns + column) * block
        } else {
            (row * columns + source(column, row)) * block
        }
    };
    let starts = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let starts: Vec<usize> = starts.map(|(row, column)| start(row, column)).collect();
    one(layout::runs(x, x.shape(), &starts, block)?)
}
