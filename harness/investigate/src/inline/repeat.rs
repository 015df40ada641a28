//! The iterations of a body, each with the values that the reference computes for its inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use backend_api::Named;
use onnx_model::Graph;
use onnx_tensor::{Tensor, Value};

use super::{Opened, body_part};
use crate::InvestigateError;
use crate::cut::Part;
use crate::runner::{RunRequest, Runner};

/// The maximum number of iterations that are inlined.
pub(super) const ITERATIONS: usize = 64;

/// The iterations of a body.
pub(super) struct Repeated {
    /// Where, before the number of the iteration: `batch 1, `.
    pub place: String,
    pub body: Arc<Graph>,
    /// Values of body inputs by position that hold from the first iteration on: states, until an
    /// iteration replaces them, and values that do not change.
    pub first: BTreeMap<usize, Value>,
    /// The values that iteration number N adds, by the position of the body input.
    pub each: Vec<BTreeMap<usize, Value>>,
    /// Body outputs that become body inputs of the next iteration: (output, input).
    pub carried: Vec<(usize, usize)>,
    /// The body output that determines whether a next iteration follows.
    pub goes_on: Option<usize>,
}

/// The first [`ITERATIONS`] iterations of all bodies.
pub(super) fn iterate(
    part: &Part,
    repeated: &[Repeated],
    reference: &mut Runner,
) -> Result<Vec<Opened>, InvestigateError> {
    let mut opened = Vec::new();
    for one in repeated {
        let left = ITERATIONS.saturating_sub(opened.len());
        iterate_one(part, one, left, reference, &mut opened)?;
    }
    Ok(opened)
}

fn iterate_one(
    part: &Part,
    repeated: &Repeated,
    most: usize,
    reference: &mut Runner,
    opened: &mut Vec<Opened>,
) -> Result<(), InvestigateError> {
    let mut state = repeated.first.clone();
    for (number, each) in repeated.each.iter().enumerate().take(most) {
        state.extend(each.iter().map(|(position, value)| (*position, value.clone())));
        let part = body_part(part, &repeated.body, fed(&repeated.body, &state));
        let request = RunRequest::of(&part.model, part.inputs.clone());
        opened.push(Opened {
            place: format!("{}iteration {number}", repeated.place),
            part,
        });
        let Ok(outputs) = reference.run(&request)? else {
            break;
        };
        let output = |position: usize| outputs.values.get(position).map(|(_, value)| value);
        if repeated.goes_on.and_then(output).is_some_and(stops) {
            break;
        }
        let next = repeated.carried.iter();
        let next: Vec<(usize, Value)> = next
            .filter_map(|(from, to)| Some((*to, output(*from)?.clone())))
            .collect();
        state.extend(next);
    }
    Ok(())
}

/// The values of the inputs of a body.
fn fed(body: &Graph, state: &BTreeMap<usize, Value>) -> Vec<Named> {
    let inputs = body.inputs.iter().enumerate();
    inputs
        .filter_map(|(position, info)| Some((info.name.clone(), state.get(&position)?.clone())))
        .collect()
}

/// Whether the condition of a Loop is false.
fn stops(condition: &Value) -> bool {
    matches!(condition, Value::Tensor(Tensor::Bool(goes)) if !goes.iter().all(|goes| *goes))
}
