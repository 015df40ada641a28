//! Slice — along each axis the positions from `start` to `end`, exclusive, with stride `step`.
//!
//! A negative start or end counts from the back. Both are then clamped, so that a slice is never out of
//! bounds: for a positive step to `[0, extent]`, for a negative one to `[0, extent − 1]` (start) and `[−1,
//! extent − 1]` (end).
//!
//! Versions: 1 has attributes and no steps; 10 has inputs and steps; 11 allows negative axes, like the
//! earlier ones except in a strict run (deviation `negative-axis`); 13 states the clamping, which the
//! earlier texts define by reference to NumPy. A repeated axis is undefined. Interpretation: where NumPy
//! and the stated rule differ (a start before the first element with a negative step is the first element,
//! not an empty slice), the stated rule applies in every version.

use onnx_tensor::Tensor;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::axes::{self, ReadAxis};
use crate::shared::layout;

pub const OP: OpDef = op(
    "Slice",
    &[
        v(1, First, slice_1),
        v(10, Semantics, |call| slice_by_inputs(call, axes::older(call))),
        v(11, Semantics, |call| slice_by_inputs(call, axes::axis)),
        v(13, TypesOnly, |call| slice_by_inputs(call, axes::axis)),
    ],
);

fn slice_1(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (starts, ends) = (call.ints("starts")?, call.ints("ends")?);
    slice(
        call.tensor(0)?,
        &starts,
        &ends,
        call.optional_ints("axes")?,
        None,
        axes::older(call),
    )
}

fn slice_by_inputs(call: &Call<'_>, read: ReadAxis) -> Result<Outputs, OpError> {
    let (starts, ends) = (call.integers(1)?, call.integers(2)?);
    slice(
        call.tensor(0)?,
        &starts,
        &ends,
        call.optional_integers(3)?,
        call.optional_integers(4)?,
        read,
    )
}

fn slice(
    x: &Tensor,
    starts: &[i64],
    ends: &[i64],
    named: Option<Vec<i64>>,
    steps: Option<Vec<i64>>,
    read: ReadAxis,
) -> Result<Outputs, OpError> {
    let named = named.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = steps.unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), named.len(), steps.len()] != [starts.len(); 3] {
        return Err(OpError::invalid(
            "starts, ends, axes and steps must have the same length",
        ));
    }
    let mut seen = vec![false; x.rank()];
    let mut part = x.clone();
    for (((&start, &end), &axis), &step) in starts.iter().zip(ends).zip(&named).zip(&steps) {
        let axis = read(axis, x.rank())?;
        if std::mem::replace(&mut seen[axis], true) {
            return Err(OpError::undefined(format!("axis {axis} is repeated")));
        }
        let (start, count, step) = positions(layout::extent(x, axis)?, start, end, step)?;
        part = layout::slice(&part, axis, start, count, step)?;
    }
    one(part)
}

/// The first position, the count, and the step.
fn positions(extent: usize, start: i64, end: i64, step: i64) -> Result<(usize, usize, isize), OpError> {
    let extent = extent as i64;
    let from_front = |value: i64| {
        if value < 0 {
            value.saturating_add(extent)
        } else {
            value
        }
    };
    let (start, end) = (from_front(start), from_front(end));
    let (start, distance) = match step {
        0 => return Err(OpError::invalid("a step is 0")),
        1.. => (
            start.clamp(0, extent),
            end.clamp(0, extent) - start.clamp(0, extent),
        ),
        _ => {
            let start = start.min(extent - 1).max(0);
            (start, start.min(extent - 1) - end.min(extent - 1).max(-1))
        }
    };
    let count = distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs());
    Ok((
        start as usize,
        count as usize,
        step.clamp(-extent.max(1), extent.max(1)) as isize,
    ))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::positions;
    use crate::frame::testing::{attribute, exact, refused, values};

    /// Extent, start, end, step, and the positions by the rule of version 13.
    #[test]
    fn positions_are_clamped() {
        let cases: [(usize, [i64; 3], &[usize]); 9] = [
            (5, [1, 1000, 2], &[1, 3]),
            (5, [-1000, -1, 3], &[0, 3]),
            (5, [3, 3, 1], &[]),
            (5, [10, i64::MIN, -2], &[4, 2, 0]),
            (5, [-10, i64::MIN, -1], &[0]),
            (5, [3, -1, -1], &[]),
            (5, [3, 0, i64::MIN], &[3]),
            (0, [0, i64::MAX, 1], &[]),
            (0, [0, i64::MIN, -1], &[]),
        ];
        for (extent, [start, end, step], expected) in cases {
            let (start, count, step) = positions(extent, start, end, step).unwrap();
            let found: Vec<usize> = (0..count as isize)
                .map(|n| start.wrapping_add_signed(n * step))
                .collect();
            assert_eq!(found, expected, "{extent} {start} {end} {step}");
        }
        assert!(positions(5, 0, 5, 0).is_err());
    }

    #[test]
    fn axes_by_version() {
        let x = Tensor::new(&[2, 2], vec![1_u8, 2, 3, 4]).unwrap();
        let column = [Tensor::new(&[2, 1], vec![2_u8, 4]).unwrap()];
        let attributes = [
            attribute("starts", [-1]),
            attribute("ends", [9]),
            attribute("axes", [1]),
        ];
        exact(("", "Slice", 1), std::slice::from_ref(&x), &attributes, &column);
        let inputs = |axes: &[i64]| {
            let all = |value| Tensor::vector(vec![value; axes.len()]);
            [x.clone(), all(-1_i64), all(9), Tensor::vector(axes.to_vec())]
        };
        exact(("", "Slice", 11), &inputs(&[-1]), &[], &column);
        refused(("", "Slice", 13), &values(&inputs(&[1, -1])), &[], "repeated");
    }
}
