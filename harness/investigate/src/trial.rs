//! Runs a part of a model on the reference and on a backend.

use backend_api::Named;
use harness_compare::{Allowance, Comparison, Criteria, Envelopes, Tolerance, compare, signed_zeros};
use harness_conformance::judge::Judgement;
use harness_conformance::reference::envelopes;
use harness_corpus::OfficialTolerance;
use onnx_model::Model;
use onnx_randomness::Draws;
use reports::record::Level;

use crate::InvestigateError;
use crate::cut::{Part, bare, operator};
use crate::deviation::{deviation, difference};
use crate::runner::{Answer, RunRequest, Runner};

/// The reference's answer on a part.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// Its outputs.
    pub values: Vec<Named>,
    /// The bounds of their rounding errors, where known.
    pub envelopes: Envelopes,
}

/// The difference of a backend's answer on a part from the reference's.
#[derive(Clone, Debug)]
pub struct Local {
    /// The largest error relative to the largest element ([`deviation`](crate::deviation())).
    pub deviation: f64,
    /// The same without a least deviation of integers, for people.
    pub difference: f64,
    /// The largest error relative to its bound; NaN if no bound is known.
    pub of_bound: f64,
    /// Whether some element is outside its bound, or outside the official tolerance if no bound is
    /// known.
    pub leaves_bound: bool,
    /// Whether some element is also outside the official tolerance, or the structure of the answer
    /// differs.
    pub is_outside: bool,
    /// The difference; empty if every element is within its bound.
    pub reason: String,
}

/// A request for a part.
pub(crate) fn request(part: &Part) -> RunRequest {
    RunRequest {
        model: part.model.encode().into(),
        files: Vec::new(),
        inputs: part.inputs.clone(),
    }
}

/// Requests outputs and bounds of a part from the reference, whatever the part declares.
pub(crate) fn refer(reference: &mut Runner, part: &Part) -> Result<Answer<Reference>, InvestigateError> {
    refer_to(reference, &request(&bare(part)))
}

/// Requests outputs and bounds of a model from the reference.
pub(crate) fn refer_to(
    reference: &mut Runner,
    request: &RunRequest,
) -> Result<Answer<Reference>, InvestigateError> {
    if let Ok(bounded) = reference.bound(request)? {
        let (values, envelopes) = envelopes(bounded);
        return Ok(Ok(Reference { values, envelopes }));
    }
    let ran = reference.run(request)?;
    Ok(ran.map(|outputs| Reference {
        values: outputs.values,
        envelopes: Envelopes::default(),
    }))
}

/// Whether the outputs of a part are random, so that they cannot be compared.
pub(crate) fn is_random(part: &Part) -> bool {
    Draws::of_model(&part.model, &part.inputs).is_some()
}

/// Compares a backend's answer with the reference's.
pub(crate) fn local(model: &Model, reference: &Reference, observed: &[Named]) -> Local {
    let comparison = compare_by_bound(model, reference, observed);
    let bounds = comparison.outputs.iter().map(|output| output.of_bound);
    Local {
        deviation: deviation(&reference.values, observed),
        difference: difference(&reference.values, observed),
        of_bound: bounds
            .filter(|part| !part.is_nan())
            .reduce(f64::max)
            .unwrap_or(f64::NAN),
        leaves_bound: comparison.mismatch.is_some(),
        is_outside: comparison.mismatch.is_some() && comparison.level() == Some(Level::Outside),
        reason: comparison
            .mismatch
            .map(|mismatch| mismatch.reason)
            .unwrap_or_default(),
    }
}

/// The comparison by the bound, or by the official tolerance if no bound is known.
pub(crate) fn compare_by_bound(model: &Model, reference: &Reference, observed: &[Named]) -> Comparison {
    let operators: Vec<String> = model
        .graph
        .nodes
        .iter()
        .map(|node| operator(model, node))
        .collect();
    let OfficialTolerance { rtol, atol } = OfficialTolerance::default();
    let allowance = |_: &str, _| Allowance::Bound {
        unbounded: Box::new(Allowance::Official),
    };
    let criteria = Criteria {
        official: Tolerance {
            relative: rtol,
            absolute: atol,
        },
        allowance: &allowance,
        envelopes: &reference.envelopes,
        signed_zeros: signed_zeros(&operators),
    };
    compare(&reference.values, observed, criteria)
}

/// Runs a part on a backend and compares its answer with the reference's.
pub(crate) fn check(
    backend: &mut Runner,
    part: &Part,
    reference: &Reference,
) -> Result<Result<Local, Judgement>, InvestigateError> {
    let ran = backend.run(&request(part))?;
    Ok(ran.map(|outputs| local(&part.model, reference, &outputs.values)))
}
