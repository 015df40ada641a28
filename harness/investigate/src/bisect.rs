//! The value of an option with which the answer becomes wrong.
//!
//! The values are in an order in which the answer is right at first and wrong from some value on: levels of optimisation, passes
//! that take part one after the other, versions of a library.

use backend_api::Named;

use crate::InvestigateError;
use crate::deviation::deviation;
use crate::runner::{Question, Runner};

/// Where the answer becomes wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum Turn {
    /// It is right with the last value.
    Right,
    /// It is wrong from this value on.
    Wrong {
        /// The position of the first value with which it is wrong; 0 where it is wrong with every one that was tried.
        first: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Finds the first of `count` values with which `probe` gives a reason, in at most ⌈log₂ count⌉ + 1 probes. None of no values.
///
/// # Errors
/// Those of `probe`.
pub fn bisect<E>(
    count: usize,
    mut probe: impl FnMut(usize) -> Result<Option<String>, E>,
) -> Result<Option<Turn>, E> {
    let Some(last) = count.checked_sub(1) else {
        return Ok(None);
    };
    let Some(mut reason) = probe(last)? else {
        return Ok(Some(Turn::Right));
    };
    let (mut low, mut high) = (0, last);
    while low < high {
        let middle = low + (high - low) / 2;
        match probe(middle)? {
            Some(wrong) => (high, reason) = (middle, wrong),
            None => low = middle + 1,
        }
    }
    Ok(Some(Turn::Wrong { first: high, reason }))
}

/// What is wrong with a backend's answer: the failure, or a deviation above `most`; none where it is right.
///
/// # Errors
/// A worker that cannot be started again, or an interruption.
pub fn wrong(
    backend: &mut Runner,
    question: &Question,
    expected: &[Named],
    most: f64,
) -> Result<Option<String>, InvestigateError> {
    Ok(match backend.run(question)? {
        Err(judgement) => Some(format!("{}: {}", judgement.verdict.key(), judgement.reason)),
        Ok(outputs) => match deviation(expected, &outputs.values) {
            apart if apart > most => Some(format!(
                "the outputs differ by {apart:.2e} of their largest element"
            )),
            _ => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn the_first_wrong_value_is_found_in_few_probes() {
        for count in 1_usize..40 {
            for first in 0..=count {
                let mut probes = 0;
                let turn: Result<_, Infallible> = bisect(count, |at| {
                    probes += 1;
                    Ok((at >= first).then(|| at.to_string()))
                });
                let wanted = match first == count {
                    true => Turn::Right,
                    false => Turn::Wrong {
                        first,
                        reason: first.to_string(),
                    },
                };
                assert_eq!(turn, Ok(Some(wanted)));
                let most = count.next_power_of_two().ilog2() + 1;
                assert!(probes <= most, "{probes} probes of {count}");
            }
        }
        assert_eq!(bisect(0, |_| Ok::<_, Infallible>(None)), Ok(None));
    }
}
