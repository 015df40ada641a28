//! Slice.

use super::super::call::{axes, axis, one};
use super::super::fast::{Fast, Strided};
use super::super::movement::{strides, view};
use super::super::rules::Arguments;
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("Slice", 1, First(|known| known.slice()), |call| {
        let list = |name| Ok::<_, Problem>(call.attributes.ints(name)?.map(<[i64]>::to_vec));
        slice(call, list("starts")?, list("ends")?, list("axes")?, None)
    })
    .fast(Fast::Strided(Strided::Slice))
    .requires(lists_agree),
    row("Slice", 10, First(|known| known.slice()), |call| {
        slice(
            call,
            call.find_ints(1)?,
            call.find_ints(2)?,
            call.find_ints(3)?,
            call.find_ints(4)?,
        )
    })
    .fast(Fast::Strided(Strided::Slice))
    .requires(lists_agree),
];

/// Starts, ends, axes and steps have the same length.
fn lists_agree(node: &Arguments) -> Result<(), Problem> {
    let count = |position: usize, name: &str| match node.since {
        ..10 => Ok::<_, Problem>(node.attributes.ints(name)?.map(<[i64]>::len)),
        _ => Ok(node.count(position)),
    };
    let counts = [
        count(1, "starts")?,
        count(2, "ends")?,
        count(3, "axes")?,
        count(4, "steps")?,
    ];
    let mut known = counts.into_iter().flatten();
    let first = known.next();
    if known.all(|count| Some(count) == first) {
        Ok(())
    } else {
        different_lengths()
    }
}

fn different_lengths<T>() -> Result<T, Problem> {
    invalid("starts, ends, axes and steps differ in length")
}

/// Returns the start, step and number of elements of a slice of an axis of this extent.
///
/// For a positive step start and end are clamped to `[0, extent]`; for a negative one the start to
/// `[0, extent - 1]`, the end to `[-1, extent - 1]` (the text of Slice-13).
pub fn resolve(extent: usize, start: i64, end: i64, step: i64) -> Result<(usize, i64, usize), Problem> {
    let extent = i64::try_from(extent).unwrap_or(i64::MAX);
    let absolute = |at: i64| if at < 0 { at.saturating_add(extent) } else { at };
    let (start, end) = (absolute(start), absolute(end));
    let (start, count) = match step {
        0 => return invalid("a slice has step 0"),
        step if step > 0 => {
            let (start, end) = (start.clamp(0, extent), end.clamp(0, extent));
            (
                start,
                (end - start).max(0).unsigned_abs().div_ceil(step.unsigned_abs()),
            )
        }
        step => {
            let start = start.min(extent - 1).max(0);
            let distance = start.min(extent - 1) - end.min(extent - 1).max(-1);
            (
                start,
                distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs()),
            )
        }
    };
    // A step beyond the extent selects one element; with a clamped step no position overflows.
    let step = step.clamp(-extent.max(1), extent.max(1));
    Ok((start as usize, step, count as usize))
}

/// The elements that a slice selects.
pub struct Selected {
    /// The shape of the result.
    pub shape: Vec<usize>,
    /// The step along each axis.
    pub moves: Vec<i64>,
    /// The position of the first element.
    pub offset: usize,
}

/// Returns the elements of a tensor of this shape that a slice selects.
pub fn selected(
    from: &[usize],
    starts: &[i64],
    ends: &[i64],
    listed: Option<Vec<i64>>,
    steps: Option<Vec<i64>>,
) -> Result<Selected, Problem> {
    let listed = listed.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = steps.unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), listed.len(), steps.len()] != [starts.len(); 3] {
        return different_lengths();
    }
    let own = strides(from);
    let mut shape = from.to_vec();
    let mut moves: Vec<i64> = vec![1; shape.len()];
    let mut offset = 0;
    axes(&listed, from.len())?;
    for (position, &which) in listed.iter().enumerate() {
        let at = axis(which, from.len())?;
        let (start, step, count) = resolve(from[at], starts[position], ends[position], steps[position])?;
        shape[at] = count;
        moves[at] = step;
        offset += start * own[at];
    }
    Ok(Selected { shape, moves, offset })
}

fn slice(
    call: &Call,
    starts: Option<Vec<i64>>,
    ends: Option<Vec<i64>>,
    listed: Option<Vec<i64>>,
    steps: Option<Vec<i64>>,
) -> Outcome {
    let tensor = call.tensor(0)?;
    let (Some(starts), Some(ends)) = (starts, ends) else {
        return invalid("starts or ends are missing");
    };
    let Selected { shape, moves, offset } = selected(tensor.shape(), &starts, &ends, listed, steps)?;
    let own = strides(tensor.shape());
    let steps = own
        .iter()
        .zip(&moves)
        .map(|(own, step)| own.wrapping_mul(*step as usize));
    one(view(tensor, &shape, &steps.collect::<Vec<_>>(), offset)?)
}
