//! The inputs with which a backend is wrong, of the samples that `compare` has.

use backend_api::Named;
use harness_console::note;
use harness_investigate::InvestigateError;
use harness_investigate::bisect::Judge;
use harness_investigate::inputs::branches;
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::subject::Subject;

use super::CliError;
use super::inputs::{Inputs, first_inputs};

/// The inputs of the first sample to which the answer of the backend is wrong, or else those of the first.
/// The samples are the stored data sets, or the drawn inputs and those with which another branch of an If
/// runs.
pub(super) fn failing_inputs(
    subject: &Subject,
    inputs: &Inputs,
    seed: u64,
    reference: &mut Runner,
    backend: &mut Runner,
) -> Result<Vec<Named>, CliError> {
    let first = first_inputs(subject, inputs, seed, reference)?;
    let others = others(subject, inputs, &first);
    if others.is_empty() || !is_right(subject, first.clone(), reference, backend)?.unwrap_or(false) {
        return Ok(first);
    }
    for (name, values) in others {
        if is_right(subject, values.clone(), reference, backend)? == Some(false) {
            note(format_args!(
                "{}: with {name}: the answer to the first inputs is right",
                subject.name
            ));
            return Ok(values);
        }
    }
    Ok(first)
}

/// The inputs of further samples, with their names.
fn others(subject: &Subject, inputs: &Inputs, first: &[Named]) -> Vec<(String, Vec<Named>)> {
    if !inputs.is_empty() {
        return Vec::new();
    }
    if subject.stored.is_empty() {
        return branches(&subject.model, first).map_or_else(Vec::new, |found| found.others);
    }
    let stored = subject.stored.iter().skip(1);
    stored.map(|set| (set.name.clone(), set.inputs.clone())).collect()
}

/// Whether the answer of the backend is right; `None` if the reference gives none.
fn is_right(
    subject: &Subject,
    inputs: Vec<Named>,
    reference: &mut Runner,
    backend: &mut Runner,
) -> Result<Option<bool>, CliError> {
    let request = RunRequest {
        inputs,
        model: subject.bytes.clone(),
        external: subject.external.clone(),
    };
    match Judge::new(&subject.model, request, None, reference) {
        Ok(mut judge) => Ok(Some(judge.wrong(backend, reference)?.is_none())),
        Err(InvestigateError::NoReference { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
