//! A part of a model on the reference and on a backend.

use backend_api::Named;
use harness_compare::{Allowance, Comparison, Criteria, Envelopes, Tolerance, compare, copies};
use harness_conformance::judge::Judgement;
use harness_conformance::reference::envelopes;
use harness_corpus::OfficialTolerance;
use onnx_model::Model;
use onnx_randomness::Draws;
use reports::record::Level;

use crate::InvestigateError;
use crate::cut::{Part, operator};
use crate::deviation::deviation;
use crate::runner::{Answer, Question, Runner};

/// What the reference says of a part.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// Its outputs.
    pub values: Vec<Named>,
    /// How far rounding can lead from them, where that is known.
    pub envelopes: Envelopes,
}

/// How a backend's answer on a part stands beside the reference's.
#[derive(Clone, Debug)]
pub struct Local {
    /// The largest error relative to the largest element ([`deviation`](crate::deviation())).
    pub deviation: f64,
    /// The largest error as a part of its bound; NaN where no bound is known.
    pub of_bound: f64,
    /// Whether some element leaves its bound, or where none is known the official tolerance.
    pub leaves_bound: bool,
    /// Whether some element also leaves the official tolerance, or the answer has another form.
    pub is_outside: bool,
    /// What differs, in a sentence; empty where nothing leaves its bound.
    pub reason: String,
}

/// A part as a question.
pub(crate) fn question(part: &Part) -> Question {
    Question {
        model: part.model.encode().into(),
        files: Vec::new(),
        inputs: part.inputs.clone(),
    }
}

/// Asks the reference for outputs and bounds.
pub(crate) fn refer(reference: &mut Runner, part: &Part) -> Result<Answer<Reference>, InvestigateError> {
    refer_to(reference, &question(part))
}

/// Asks the reference for outputs and bounds of a model.
pub(crate) fn refer_to(
    reference: &mut Runner,
    question: &Question,
) -> Result<Answer<Reference>, InvestigateError> {
    if let Ok(bounded) = reference.bound(question)? {
        let (values, envelopes) = envelopes(bounded);
        return Ok(Ok(Reference { values, envelopes }));
    }
    let ran = reference.run(question)?;
    Ok(ran.map(|outputs| Reference {
        values: outputs.values,
        envelopes: Envelopes::default(),
    }))
}

/// Whether a part draws its outputs at random, so that they are not comparable.
pub(crate) fn is_random(part: &Part) -> bool {
    Draws::of_model(&part.model, &part.inputs).is_some()
}

/// Holds a backend's answer against the reference's.
pub(crate) fn local(model: &Model, reference: &Reference, observed: &[Named]) -> Local {
    let comparison = held(model, reference, observed);
    let bounds = comparison.outputs.iter().map(|output| output.of_bound);
    Local {
        deviation: deviation(&reference.values, observed),
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

/// The comparison by the bound, and where none is known by the official tolerance.
pub(crate) fn held(model: &Model, reference: &Reference, observed: &[Named]) -> Comparison {
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
        signed_zeros: copies(&operators),
    };
    compare(&reference.values, observed, criteria)
}

/// Runs a part on a backend and holds its answer against the reference's.
pub(crate) fn check(
    backend: &mut Runner,
    part: &Part,
    reference: &Reference,
) -> Result<Result<Local, Judgement>, InvestigateError> {
    let ran = backend.run(&question(part))?;
    Ok(ran.map(|outputs| local(&part.model, reference, &outputs.values)))
}
