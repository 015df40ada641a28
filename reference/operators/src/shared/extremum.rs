//! The position of the greatest or least element of a lane.
//!
//! Interpretation: the specification does not order NaN. As in Max, Min and NumPy, a NaN is the extremum.

use onnx_tensor::Real;

/// The kind of extremum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// The greatest.
    Max,
    /// The least.
    Min,
}

/// The position of the extremum of `lane`: the first of equal elements or, with `last`, the last one.
/// `None` if the lane is empty.
pub fn position<T: Real>(lane: &[T], extremum: Extremum, last: bool) -> Option<usize> {
    let beats = |a: T, b: T| match extremum {
        _ if b.is_nan() => false,
        _ if a.is_nan() => true,
        Extremum::Max => a > b,
        Extremum::Min => a < b,
    };
    let ahead = |candidate: T, best: T| {
        if last {
            !beats(best, candidate)
        } else {
            beats(candidate, best)
        }
    };
    lane.iter()
        .enumerate()
        .reduce(|best, candidate| {
            if ahead(*candidate.1, *best.1) {
                candidate
            } else {
                best
            }
        })
        .map(|(index, _)| index)
}
