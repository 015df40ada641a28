//! Inputs whose answer says something: not the same element everywhere, and not one that the specification
//! leaves open.

use backend_api::Named;
use harness_compare::leaves;
use harness_conformance::noise::numbers;
use onnx_tensor::Tensor;

use super::answered::{Answered, OTHERS, ask, others, run_request};
use super::request::OTHER_VALUES;
use super::{Drawn, Request};
use crate::InvestigateError;
use crate::runner::Runner;
use crate::subject::Subject;

/// The inputs and outputs. If integers of unknown meaning make all outputs equal, as offsets beyond the end
/// do, the first others that do not.
pub(super) fn telling(
    subject: &Subject,
    request: &Request,
    (drawn, outputs): (Drawn, Vec<Named>),
    reference: &mut Runner,
) -> Result<Answered, InvestigateError> {
    let first = determined(subject, request, (drawn, outputs), reference)?;
    if !first.drawn.is_wide || !first.is_constant() {
        return Ok(first);
    }
    for variant in request.variant..request.variant + OTHERS {
        let request = Request {
            variant,
            is_narrow: true,
            ..request.clone()
        };
        let Some(drawn) = others(subject, &request, reference)? else {
            continue;
        };
        let outputs = ask(subject, &drawn, reference)?;
        let other = Answered {
            drawn,
            outputs,
            refused: None,
        };
        if other.outputs.is_ok() && !other.is_constant() {
            return Ok(other);
        }
    }
    Ok(first)
}

/// The inputs and outputs. If the specification does not determine most elements of an output, as those that
/// a mask hides whole or that are converted from a float beyond the range, the first others of which it
/// determines more.
fn determined(
    subject: &Subject,
    request: &Request,
    (drawn, outputs): (Drawn, Vec<Named>),
    reference: &mut Runner,
) -> Result<Answered, InvestigateError> {
    let refused = undetermined(subject, &drawn, &outputs, reference)?;
    let first = Answered {
        drawn,
        outputs: Ok(outputs),
        refused: None,
    };
    let Some(refused) = refused else {
        return Ok(first);
    };
    for otherwise in OTHER_VALUES {
        let Some(drawn) = others(subject, &request.otherwise(otherwise), reference)? else {
            continue;
        };
        let Ok(outputs) = ask(subject, &drawn, reference)? else {
            continue;
        };
        if undetermined(subject, &drawn, &outputs, reference)?.is_none() {
            return Ok(Answered {
                drawn,
                outputs: Ok(outputs),
                refused: Some(refused),
            });
        }
    }
    Ok(first)
}

/// Why an output of the last answer says nothing: all its elements are NaN, or the specification does not
/// determine most of them; `None` if each does, or if they are drawn at random.
fn undetermined(
    subject: &Subject,
    drawn: &Drawn,
    outputs: &[Named],
    reference: &mut Runner,
) -> Result<Option<String>, InvestigateError> {
    /// The greatest share that does not make a comparison empty.
    const MOST: f64 = 0.5;
    let is_nan = |tensor: &Tensor| {
        numbers(tensor).is_some_and(|list| !list.is_empty() && list.iter().all(|x| x.is_nan()))
    };
    if let Some((name, _)) = leaves(outputs).iter().find(|(_, tensor)| is_nan(tensor)) {
        return Ok(Some(format!("every element of `{name}` is NaN")));
    }
    let reason = reference.unsettled().filter(|reason| is_of_values(reason));
    let Some(reason) = reason.map(str::to_owned) else {
        return Ok(None);
    };
    let share = reference.undetermined(&run_request(subject, drawn), outputs)?;
    Ok(Some(reason).filter(|_| share > MOST))
}

/// Whether the reference does not name random draws but results of values: `57 of 60 elements are not
/// specified`.
fn is_of_values(reason: &str) -> bool {
    reason.contains(" elements are not specified")
}
