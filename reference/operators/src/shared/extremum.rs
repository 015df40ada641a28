//! The greatest or least element of a lane, and its position.
//!
//! The specification does not order NaN (question `arg-nan`). By default a NaN is the extremum, as in Max,
//! Min and NumPy.

use onnx_tensor::Real;

use crate::frame::{Call, Reading};

/// The kind of extremum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// The greatest.
    Max,
    /// The least.
    Min,
}

/// The order of NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NanOrder {
    /// NaN is the extremum.
    Extremum,
    /// Every number precedes NaN.
    Ignored,
    /// Every comparison with NaN is false.
    Compared,
    /// The later of two elements is taken if one is NaN.
    Replaced,
}

impl NanOrder {
    /// The order that the readings of the run select.
    pub fn of(call: &Call<'_>) -> NanOrder {
        if call.takes(Reading::ArgNanIgnored) {
            NanOrder::Ignored
        } else if call.takes(Reading::ArgNanCompared) {
            NanOrder::Compared
        } else if call.takes(Reading::ArgNanReplaced) {
            NanOrder::Replaced
        } else {
            NanOrder::Extremum
        }
    }
}

/// The position of the extremum of `lane`: the first of equal elements or, with `last`, the last one.
/// `None` if the lane is empty.
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
        if nan == NanOrder::Replaced && (candidate.is_nan() || best.is_nan()) {
            true
        } else if last && nan == NanOrder::Compared {
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

/// The greater or the lesser of two values, the first one in the order of the elements first.
pub fn of_two<T: Real>(extremum: Extremum, nan: NanOrder) -> impl Fn(T, T) -> T {
    move |a, b| match (nan, extremum) {
        (NanOrder::Extremum, Extremum::Max) => Real::max(a, b),
        (NanOrder::Extremum, Extremum::Min) => Real::min(a, b),
        (NanOrder::Ignored | NanOrder::Compared | NanOrder::Replaced, _) => {
            match position(&[a, b], extremum, false, nan) {
                Some(1) => b,
                _ => a,
            }
        }
    }
}

/// The greatest or least element of a set; the last in this order of all values of the type if it is empty.
pub fn value<T: Real>(set: &[T], extremum: Extremum, nan: NanOrder) -> T {
    let (none, of): (T, fn(T, T) -> T) = match extremum {
        Extremum::Max => (T::LEAST, Real::max),
        Extremum::Min => (T::GREATEST, Real::min),
    };
    match nan {
        NanOrder::Extremum => set.iter().fold(none, |best, &x| of(best, x)),
        NanOrder::Ignored | NanOrder::Compared | NanOrder::Replaced => {
            position(set, extremum, false, nan).map_or(none, |index| set[index])
        }
    }
}
