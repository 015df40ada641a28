//! Positions in a sequence, as the operators of this chapter take them.
//!
//! Reading: the text asks for a scalar without axes, the official case `sequence_insert_at_front` gives shape `[1]`; one
//! element of any rank is taken.

use onnx_tensor::Sequence;

use crate::frame::{Call, OpError};

/// The position that input `index` names in `sequence`, counted from the front. `end` says whether the place behind the
/// last element counts too, as it does for an insertion. A negative position counts from the number of elements.
pub(super) fn position(
    call: &Call<'_>,
    index: usize,
    sequence: &Sequence,
    end: bool,
) -> Result<usize, OpError> {
    let length = sequence.values.len();
    let places = length + usize::from(end);
    let &[given] = call.integers(index)?.as_slice() else {
        return Err(OpError::invalid("`position` must have one element"));
    };
    let front = if given < 0 {
        given.saturating_add(length as i64)
    } else {
        given
    };
    usize::try_from(front)
        .ok()
        .filter(|&front| front < places)
        .ok_or_else(|| OpError::invalid(format!("position {given} is outside [-{length}, {places})")))
}
