//! Shape — the extents of a tensor, or since version 15 those of the axes `start..end`.
//!
//! Negative `start` and `end` count from the back and are then clamped to `[0, rank]`; the result for
//! `start > end` is empty.

use onnx_tensor::Tensor;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "Shape",
    &[
        v(1, First, |call| extents(call, 0, None)),
        v(13, TypesOnly, |call| extents(call, 0, None)),
        v(15, Semantics, part),
        v(19, TypesOnly, part),
        v(21, TypesOnly, part),
        v(23, TypesOnly, part),
        v(24, TypesOnly, part),
        v(25, TypesOnly, part),
    ],
);

fn part(call: &Call<'_>) -> Result<Outputs, OpError> {
    extents(call, call.int("start")?, call.optional_int("end")?)
}

fn extents(call: &Call<'_>, start: i64, end: Option<i64>) -> Result<Outputs, OpError> {
    let shape = call.tensor(0)?.shape();
    let rank = shape.len() as i64;
    let clamp = |axis: i64| {
        let front = if axis < 0 { axis.saturating_add(rank) } else { axis };
        front.clamp(0, rank) as usize
    };
    let found = shape
        .get(clamp(start)..end.map_or(shape.len(), clamp))
        .unwrap_or(&[]);
    one(Tensor::vector(
        found.iter().map(|&extent| extent as i64).collect(),
    ))
}
