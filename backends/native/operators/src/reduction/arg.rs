//! ArgMax and ArgMin.

use std::cmp::Ordering;

use onnx_tensor::{DType, Tensor, dispatch};

use super::super::call::{axis, one};
use super::super::movement::split_at;
use super::super::numbers::{floats, ints, is_whole_bytes, slice};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("ArgMax", 1, First(|known| known.arg()), |call| {
        arg(call, Ordering::Greater)
    }),
    row("ArgMin", 1, First(|known| known.arg()), |call| {
        arg(call, Ordering::Less)
    }),
];

fn arg(call: &Call, wins: Ordering) -> Outcome {
    let tensor = call.tensor(0)?;
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    let last = call.attributes.flag("select_last_index")?;
    let mut shape = tensor.shape().to_vec();
    let cut = split_at(&shape, at);
    if shape[at] == 0 {
        return invalid("the axis is empty, so it has no extreme");
    }
    match call.attributes.int("keepdims")? {
        0 => drop(shape.remove(at)),
        _ => shape[at] = 1,
    }
    let results = match tensor.dtype() {
        DType::Float => extremes(slice::<f32>(tensor)?, cut, wins, last),
        dtype if is_whole_bytes(dtype) => dispatch!(int, dtype, T => {
            Ok::<Vec<i64>, Problem>(extremes(slice::<T>(tensor)?, cut, wins, last))
        })?,
        dtype if dtype.is_integer() => extremes(&ints(tensor)?, cut, wins, last),
        _ => extremes(&floats(tensor)?, cut, wins, last),
    };
    one(Tensor::new(&shape, results)?)
}

/// Returns the position of the extreme along the middle axis; the first NaN, or the last if `last`, is the
/// extreme if there is one.
fn extremes<T: PartialOrd + Copy>(
    values: &[T],
    cut: (usize, usize, usize),
    wins: Ordering,
    last: bool,
) -> Vec<i64> {
    // Only NaN is not equal to itself.
    let is_nan = |x: T| x.partial_cmp(&x).is_none();
    let turns = |new: T, old: T| (last & (new == old)) | (is_nan(new) & (last | !is_nan(old)));
    match wins {
        Ordering::Less => scan(values, cut, |new, old| (new < old) | turns(new, old)),
        _ => scan(values, cut, |new, old| (new > old) | turns(new, old)),
    }
}

/// Returns the position along the middle axis of the element that no later one replaces.
fn scan<T: Copy>(
    values: &[T],
    (_, extent, inner): (usize, usize, usize),
    replaces: impl Fn(T, T) -> bool,
) -> Vec<i64> {
    if inner == 1 {
        return values
            .chunks_exact(extent)
            .map(|line| extreme(line, &replaces))
            .collect();
    }
    let mut positions = Vec::with_capacity(values.len() / extent);
    let mut best: Vec<T> = Vec::with_capacity(inner);
    for group in values.chunks_exact((extent * inner).max(1)) {
        let from = positions.len();
        let (first, rows) = group.split_at(inner);
        best.clear();
        best.extend_from_slice(first);
        positions.resize(from + inner, 0);
        let found = &mut positions[from..];
        for (row, along) in rows.chunks_exact(inner).zip(1..) {
            for ((&new, old), position) in row.iter().zip(&mut best).zip(&mut *found) {
                if replaces(new, *old) {
                    (*old, *position) = (new, along);
                }
            }
        }
    }
    positions
}

/// The number of elements that are compared with the extreme so far before its position is searched.
const AT_ONCE: usize = 32;

/// Returns the position of the element that no later one replaces, of at least one.
fn extreme<T: Copy>(line: &[T], replaces: impl Fn(T, T) -> bool) -> i64 {
    let (mut best, mut position) = (line[0], 0);
    for (chunk, from) in line.chunks(AT_ONCE).zip((0..).step_by(AT_ONCE)) {
        // Without branches, so that the compiler vectorizes it. If no element of a chunk replaces the extreme
        // before it, none replaces a later one.
        if !chunk.iter().fold(false, |any, &new| any | replaces(new, best)) {
            continue;
        }
        for (&new, along) in chunk.iter().zip(from..) {
            if replaces(new, best) {
                (best, position) = (new, along);
            }
        }
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_the_extreme() {
        const NAN: f32 = f32::NAN;
        let check = |values: &[f32], inner: usize, first: &[i64], last: &[i64]| {
            let cut = (1, values.len() / inner, inner);
            for wins in [Ordering::Greater, Ordering::Less] {
                assert_eq!(extremes(values, cut, wins, false), first, "{values:?}");
                assert_eq!(extremes(values, cut, wins, true), last, "{values:?}");
            }
        };
        check(&[0.0, NAN, 2.0, NAN, 1.0], 1, &[1], &[3]);
        check(&[NAN, 1.0, 1.0, 1.0, NAN, 1.0], 2, &[0, 0], &[2, 2]);
        let long: Vec<f32> = (0..100)
            .map(|at| if at % 40 == 7 { NAN } else { at as f32 })
            .collect();
        check(&long, 1, &[7], &[87]);
    }
}
