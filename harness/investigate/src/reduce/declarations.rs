//! Removes declared types of inner values.

use std::sync::Arc;

use super::trials::Trials;
use crate::InvestigateError;
use crate::cut::Part;

/// Removes the declarations that the failure does not need: all of them, else by halves.
pub(super) fn reduce(part: Part, trials: &mut Trials<'_>) -> Result<Part, InvestigateError> {
    let mut best = part;
    let mut size = best.model.graph.value_info.len();
    while size > 0 {
        let found = trials.first(without(&best, size))?;
        match found {
            Some(((), part)) => {
                best = part;
                size = size.min(best.model.graph.value_info.len());
            }
            None => size /= 2,
        }
    }
    Ok(best)
}

/// The models without `size` neighbouring declarations.
fn without(part: &Part, size: usize) -> impl Iterator<Item = ((), Part)> {
    let starts = (0..part.model.graph.value_info.len()).step_by(size);
    starts.map(move |start| {
        let mut part = part.clone();
        let declared = &mut Arc::make_mut(&mut part.model.graph).value_info;
        declared.drain(start..declared.len().min(start + size));
        ((), part)
    })
}
