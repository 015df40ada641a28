//! Sequences of different lengths whose tokens are packed behind each other.

use crate::frame::{Call, OpError};

/// The first token of each sequence and the one behind its last. Input `index` has the sums of the lengths
/// before each sequence, and that of all.
pub fn sequences(call: &Call<'_>, index: usize, tokens: usize) -> Result<Vec<(usize, usize)>, OpError> {
    let sums = call.integers(index)?;
    let known: Option<Vec<usize>> = sums.iter().map(|&sum| usize::try_from(sum).ok()).collect();
    let known = known.filter(|known| {
        known.first() == Some(&0) && known.last() == Some(&tokens) && known.is_sorted_by(|a, b| a <= b)
    });
    let known = known.ok_or_else(|| {
        OpError::invalid(format!(
            "input {index}, {sums:?}, must ascend from 0 to {tokens} tokens"
        ))
    })?;
    Ok(known.windows(2).map(|pair| (pair[0], pair[1])).collect())
}
