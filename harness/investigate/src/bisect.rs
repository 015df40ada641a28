//! Finds the value of an option at which the answer becomes wrong.
//!
//! The values are in an order in which the answer is right at first and wrong from some value on:
//! optimisation levels, passes that are enabled one after the other, versions of a library.

use onnx_model::Model;

use crate::InvestigateError;
use crate::deviation::{deviation, difference};
use crate::runner::{RunRequest, Runner};
use crate::trial::{Reference, refer_to_model};
use crate::witness::Says;

/// The result of a bisection.
#[derive(Clone, PartialEq, Debug)]
pub enum Bisection {
    /// The answer is right with the last value.
    Right,
    /// The answer is wrong from this value on.
    Wrong {
        /// The index of the first value with a wrong answer; 0 if every tried value gives a wrong
        /// answer.
        first: usize,
        /// Why the answer is wrong.
        reason: String,
    },
}

/// Finds the first of `count` values for which `probe` returns a reason, in at most ⌈log₂ count⌉ + 1
/// probes. `None` if there are no values.
///
/// # Errors
/// Errors of `probe`.
pub fn bisect<E>(
    count: usize,
    mut probe: impl FnMut(usize) -> Result<Option<String>, E>,
) -> Result<Option<Bisection>, E> {
    let Some(last) = count.checked_sub(1) else {
        return Ok(None);
    };
    let Some(mut reason) = probe(last)? else {
        return Ok(Some(Bisection::Right));
    };
    let (mut low, mut high) = (0, last);
    while low < high {
        let middle = low + (high - low) / 2;
        match probe(middle)? {
            Some(wrong) => (high, reason) = (middle, wrong),
            None => low = middle + 1,
        }
    }
    Ok(Some(Bisection::Wrong { first: high, reason }))
}

/// The model whose answers are judged, with the answer of the reference.
#[derive(Debug)]
pub struct Judge<'m> {
    model: &'m Model,
    request: RunRequest,
    reference: Reference,
    /// The deviation above which an answer is wrong, in place of the verdict of `compare`.
    above: Option<f64>,
}

impl<'m> Judge<'m> {
    /// Asks the reference.
    ///
    /// # Errors
    /// The reference does not answer, a worker cannot be started again, or the command is interrupted.
    pub fn new(
        model: &'m Model,
        request: RunRequest,
        above: Option<f64>,
        reference: &mut Runner,
    ) -> Result<Judge<'m>, InvestigateError> {
        let answer = refer_to_model(reference, &request)?;
        let reference = answer.map_err(|judgement| InvestigateError::NoReference {
            reason: judgement.reason,
            purpose: "bisected",
        })?;
        Ok(Judge {
            model,
            request,
            reference,
            above,
        })
    }

    /// Whether a backend's answer is right, with the reason if it is not or if there is none.
    ///
    /// # Errors
    /// Like [`Self::wrong`].
    pub fn says(
        &mut self,
        backend: &mut Runner,
        reference: &mut Runner,
    ) -> Result<(Says, String), InvestigateError> {
        let outputs = match backend.run(&self.request)? {
            Err(judgement) => {
                let reason = format!("{}: {}", judgement.verdict.key(), judgement.reason);
                return Ok((Says::Nothing, reason));
            }
            Ok(outputs) => outputs,
        };
        let local = self.reference.local(self.model, &outputs.values, reference)?;
        Ok((Says::of(local.standing), local.reason))
    }

    /// Why a backend's answer is wrong, or how it fails. `None` if it is right.
    ///
    /// # Errors
    /// A worker cannot be started again, or the command is interrupted.
    pub fn wrong(
        &mut self,
        backend: &mut Runner,
        reference: &mut Runner,
    ) -> Result<Option<String>, InvestigateError> {
        let outputs = match backend.run(&self.request)? {
            Err(judgement) => {
                return Ok(Some(format!("{}: {}", judgement.verdict.key(), judgement.reason)));
            }
            Ok(outputs) => outputs,
        };
        let Some(most) = self.above else {
            let local = self.reference.local(self.model, &outputs.values, reference)?;
            return Ok(local.is_wrong().then_some(local.reason));
        };
        Ok(match deviation(&self.reference.values, &outputs.values) {
            apart if apart.is_infinite() => {
                Some("the outputs differ in type, shape or values that are not finite".to_owned())
            }
            apart if apart > most => Some(format!(
                "the outputs differ by {:.2e} of the largest element",
                difference(&self.reference.values, &outputs.values)
            )),
            _ => None,
        })
    }
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
                let wanted = if first == count {
                    Bisection::Right
                } else {
                    Bisection::Wrong {
                        first,
                        reason: first.to_string(),
                    }
                };
                assert_eq!(turn, Ok(Some(wanted)));
                let most = count.next_power_of_two().ilog2() + 1;
                assert!(probes <= most, "{probes} probes of {count}");
            }
        }
        assert_eq!(bisect(0, |_| Ok::<_, Infallible>(None)), Ok(None));
    }
}
