//! Checks of the parallel lists in models of `ai.onnx.ml`.

use crate::frame::OpError;

/// `value` as an index into a list of `len` entries. `what` names it in the error.
pub fn index(value: i64, len: usize, what: &str) -> Result<usize, OpError> {
    usize::try_from(value)
        .ok()
        .filter(|&at| at < len)
        .ok_or_else(|| OpError::invalid(format!("{what} is {value}, outside [0, {len})")))
}

/// A count from an attribute: at least 1.
pub fn count(value: i64, name: &str) -> Result<usize, OpError> {
    usize::try_from(value)
        .ok()
        .filter(|&count| count > 0)
        .ok_or_else(|| OpError::invalid(format!("attribute `{name}` is {value}, must be at least 1")))
}

/// Checks that parallel lists, each with its name, are as long as the first one; empty lists are ignored.
pub fn parallel(lists: &[(&str, usize)]) -> Result<(), OpError> {
    let Some(&(first, expected)) = lists.first() else {
        return Ok(());
    };
    match lists.iter().find(|(_, len)| *len != expected && *len != 0) {
        Some((name, len)) => Err(OpError::invalid(format!(
            "`{name}` has {len} entries and `{first}` {expected}: they must have the same length"
        ))),
        None => Ok(()),
    }
}
