//! Runs a part of a model on the reference and on a backend, and judges the backend's answer.
//!
//! The judge is that of `compare`: [`Collected`] holds every output against the reference's own runs, which
//! it requests as far as the answer needs them, and [`Standing`] is the verdict.

use backend_api::Named;
use harness_compare::{Allowance, Comparison, Criteria, Envelopes, compare, signed_zeros};
use harness_conformance::judge::Judgement;
use harness_conformance::noise::{self, Evidence};
use harness_conformance::referee::{Collected, Effort};
use harness_conformance::reference::envelopes;
use harness_corpus::OfficialTolerance;
use onnx_model::Model;
use onnx_randomness::Draws;
use run_record::Arithmetic;
use run_record::standing::{Standing, judged_outputs, may_hide_a_node, remarks};

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
    /// The request that it answers.
    request: RunRequest,
    /// What its own runs showed.
    collected: Collected,
}

/// The difference of a backend's answer on a part from the reference's.
#[derive(Clone, Debug)]
pub struct Local {
    /// The largest error relative to the largest element ([`deviation`](crate::deviation())).
    pub deviation: f64,
    /// The same without a least deviation of integers, for people.
    pub difference: f64,
    /// The largest distance of an element relative to the limit that the noise of the part sets; NaN if
    /// there is none.
    pub of_limit: f64,
    /// The verdict.
    pub standing: Standing,
    /// Why the answer is not right; empty if it is.
    pub reason: String,
    /// The numbers of outputs that are judged and of all outputs, if some cannot be judged.
    pub judged: Option<(usize, usize)>,
    /// What the evidence says about the outputs that are not simply right.
    pub remarks: Vec<String>,
    /// Whether the outputs say little of the nodes before them ([`may_hide_a_node`]).
    pub may_hide: bool,
}

impl Local {
    /// Whether the answer is wrong, or less accurate than its type promises: a search stops there.
    pub fn is_wrong(&self) -> bool {
        self.standing.is_fault()
    }
}

/// A judged answer.
pub(crate) struct Judged {
    pub comparison: Comparison,
    pub standing: Standing,
    /// Why it is wrong; empty if it is not.
    pub reason: String,
}

/// A request for a part.
pub(crate) fn request(part: &Part) -> RunRequest {
    RunRequest::of(&part.model, part.inputs.clone())
}

/// Requests outputs and bounds of a part from the reference, whatever the part declares.
pub(crate) fn refer(reference: &mut Runner, part: &Part) -> Result<Answer<Reference>, InvestigateError> {
    refer_to(reference, &request(&bare(part)))
}

/// Requests the outputs of a model from the reference, without their bounds, which cost more than the run
/// and say little about a complete model.
pub(crate) fn refer_to_model(
    reference: &mut Runner,
    request: &RunRequest,
) -> Result<Answer<Reference>, InvestigateError> {
    let ran = reference.run(request)?;
    Ok(ran.map(|outputs| Reference::new(request, outputs.values, Envelopes::default())))
}

/// Requests outputs and bounds of a model from the reference.
pub(crate) fn refer_to(
    reference: &mut Runner,
    request: &RunRequest,
) -> Result<Answer<Reference>, InvestigateError> {
    if let Ok(bounded) = reference.bound(request)? {
        let (values, envelopes) = envelopes(bounded);
        return Ok(Ok(Reference::new(request, values, envelopes)));
    }
    refer_to_model(reference, request)
}

/// Whether the outputs of a part are random, so that they cannot be compared.
pub(crate) fn is_random(part: &Part) -> bool {
    Draws::of_model(&part.model, &part.inputs).is_some()
}

impl Reference {
    fn new(request: &RunRequest, values: Vec<Named>, envelopes: Envelopes) -> Reference {
        Reference {
            values,
            envelopes,
            request: request.clone(),
            collected: Collected::default(),
        }
    }

    /// Judges a backend's answer to `model`, whose nodes are those of the request; `runner` is the reference.
    ///
    /// # Errors
    /// A worker of the reference cannot be started again, or the command is interrupted.
    pub fn judge(
        &mut self,
        model: &Model,
        observed: &[Named],
        runner: &mut Runner,
    ) -> Result<Judged, InvestigateError> {
        self.judge_with(&Effort::ADAPTIVE, model, observed, runner)
    }

    fn judge_with(
        &mut self,
        effort: &Effort,
        model: &Model,
        observed: &[Named],
        runner: &mut Runner,
    ) -> Result<Judged, InvestigateError> {
        let mut comparison = compare_by_bound(model, self, observed);
        let standing = self
            .collected
            .judge(&mut comparison, observed, &self.request, effort, runner)?;
        let reason = noise::reason(standing, &comparison);
        Ok(Judged {
            comparison,
            standing,
            reason,
        })
    }

    /// What the runs with the errors of the most accurate class say.
    ///
    /// # Errors
    /// Like [`Self::judge`].
    pub fn evidence(&mut self, runner: &mut Runner) -> Result<&Evidence, InvestigateError> {
        let evidence = self
            .collected
            .of_first_class(&self.request, &Effort::ADAPTIVE, runner);
        Ok(evidence?)
    }

    /// The difference of a backend's answer to `model`; `runner` is the reference.
    ///
    /// # Errors
    /// Like [`Self::judge`].
    pub fn local(
        &mut self,
        model: &Model,
        observed: &[Named],
        runner: &mut Runner,
    ) -> Result<Local, InvestigateError> {
        let judged = self.judge(model, observed, runner)?;
        Ok(self.local_of(judged, observed))
    }

    /// The difference of the answer of the reference itself, to a model in the place of this one: it
    /// approximates nothing, so that only rounding explains a difference.
    ///
    /// # Errors
    /// Like [`Self::judge`].
    pub fn local_of_reference(
        &mut self,
        model: &Model,
        observed: &[Named],
        runner: &mut Runner,
    ) -> Result<Local, InvestigateError> {
        const ROUNDED: Effort = Effort {
            classes: &[Arithmetic::Rounded],
            ..Effort::ADAPTIVE
        };
        let judged = self.judge_with(&ROUNDED, model, observed, runner)?;
        Ok(self.local_of(judged, observed))
    }

    fn local_of(&self, judged: Judged, observed: &[Named]) -> Local {
        let outputs = &judged.comparison.outputs;
        let known = outputs.iter().filter(|output| !output.is_open());
        let noises = known.filter_map(|output| output.noise.as_ref());
        let of_limit = noises.map(|noise| noise.deviation.max / noise.floor.reach);
        Local {
            deviation: deviation(&self.values, observed),
            difference: difference(&self.values, observed),
            of_limit: of_limit
                .filter(|part| !part.is_nan())
                .reduce(f64::max)
                .unwrap_or(f64::NAN),
            standing: judged.standing,
            reason: judged.reason,
            judged: judged_outputs(outputs),
            remarks: remarks(outputs),
            may_hide: may_hide_a_node(outputs),
        }
    }
}

/// The comparison by the bound, or by the official tolerance if no bound is known.
fn compare_by_bound(model: &Model, reference: &Reference, observed: &[Named]) -> Comparison {
    let operators: Vec<String> = model
        .graph
        .nodes
        .iter()
        .map(|node| operator(model, node))
        .collect();
    let allowance = |_: &str, _| Allowance::Bound {
        unbounded: Box::new(Allowance::Official),
    };
    let criteria = Criteria {
        official: OfficialTolerance::default().into(),
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
    reference: &mut Reference,
    runner: &mut Runner,
) -> Result<Result<Local, Judgement>, InvestigateError> {
    match backend.run(&request(part))? {
        Ok(outputs) => Ok(Ok(reference.local(&part.model, &outputs.values, runner)?)),
        Err(judgement) => Ok(Err(judgement)),
    }
}
