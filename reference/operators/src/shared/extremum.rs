//! Where the greatest or least element of a lane stands.
//!
//! The specification does not say where NaN stands (question `arg-nan`). By default a NaN is the extremum, as in Max and Min and
//! as in NumPy.

use onnx_tensor::Real;

use crate::frame::{Call, Reading};

/// Which extremum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// The greatest.
    Max,
    /// The least.
    Min,
}

/// Where NaN stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NanOrder {
    /// It is the extremum.
    Extremum,
    /// Any number is ahead of it.
    Ignored,
    /// No comparison with it holds.
    Compared,
}

impl NanOrder {
    /// As the readings of the run say.
    pub fn of(call: &Call<'_>) -> NanOrder {
        if call.takes(Reading::ArgNanIgnored) {
            NanOrder::Ignored
        } else if call.takes(Reading::ArgNanCompared) {
            NanOrder::Compared
        } else {
            NanOrder::Extremum
        }
    }
}

/// The position of the extremum of `lane`, the first of equals or, with `last`, the last; `None` where the lane is empty.
pub fn position<T: Real>(lane: &[T], extremum: Extremum, last: bool, nan: NanOrder) -> Option<usize> {
    let beats = |a: T, b: T| match (nan, extremum) {
        (NanOrder::Extremum, _) if b.is_nan() => false,
        (NanOrder::Extremum, _) if a.is_nan() => true,
        (NanOrder::Ignored, _) if a.is_nan() => false,
        (NanOrder::Ignored, _) if b.is_nan() => true,
        (_, Extremum::Max) => a > b,
        (_, Extremum::Min) => a < b,
    };
    let ahead = |candidate: T, best: T| {
        if last && nan == NanOrder::Compared {
            beats(candidate, best) || candidate == best
        } else if last {
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
