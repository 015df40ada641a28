//! Axes as attributes and inputs name them.

use crate::frame::OpError;

/// `axis` counted from the front, of a tensor with `rank` axes; negative counts from the back.
pub fn axis(axis: i64, rank: usize) -> Result<usize, OpError> {
    let signed = rank as i64;
    let front = if axis < 0 {
        axis.saturating_add(signed)
    } else {
        axis
    };
    usize::try_from(front)
        .ok()
        .filter(|&front| front < rank)
        .ok_or_else(|| OpError::invalid(format!("axis {axis} is outside [-{rank}, {rank})")))
}

/// `axis` as versions read it that did not yet count from the back.
pub fn axis_from_front(axis: i64, rank: usize) -> Result<usize, OpError> {
    usize::try_from(axis)
        .ok()
        .filter(|&front| front < rank)
        .ok_or_else(|| OpError::invalid(format!("axis {axis} is outside [0, {rank})")))
}

/// Several axes, sorted; naming one twice is an error.
pub fn axes(list: &[i64], rank: usize) -> Result<Vec<usize>, OpError> {
    let mut found = list
        .iter()
        .map(|&entry| axis(entry, rank))
        .collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    match found.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(OpError::invalid(format!(
            "axis {} is named twice in {list:?}",
            pair[0]
        ))),
        None => Ok(found),
    }
}
