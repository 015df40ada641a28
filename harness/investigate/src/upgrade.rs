//! Whether a converted model has the outputs of the original, on the reference and on backends.

use backend_api::Named;
use backend_api::protocol::External;
use harness_conformance::judge::Judgement;
use onnx_model::{Bytes, Model};
use onnx_randomness::Draws;
use run_record::standing::Standing;

use crate::InvestigateError;
use crate::runner::{RunRequest, Runner};
pub use crate::trial::Local;
use crate::trial::{Reference, refer_to_model};

/// The original model with its expected outputs.
#[derive(Debug)]
pub struct Original<'m> {
    model: &'m Model,
    request: RunRequest,
    reference: Reference,
}

/// The expected outputs of the original.
#[derive(Debug)]
pub enum Known<'m> {
    /// They are known.
    Outputs(Box<Original<'m>>),
    /// The reference gives no answer.
    Nothing(Judgement),
}

/// A backend's answer compared with that of the reference on the original.
#[derive(Clone, Debug)]
pub enum UpgradeResult {
    /// Not wrong.
    Right(Local),
    Wrong(Local),
    /// There is no answer.
    Failed(Judgement),
}

/// Whether some outputs of a model are random, so that a conversion of it is not proven by two runs.
pub fn is_random(model: &Model, inputs: &[Named]) -> bool {
    Draws::of_model(model, inputs).is_some()
}

/// Computes the outputs of the original by the reference.
///
/// # Errors
/// A worker cannot be started again, or the command is interrupted.
pub fn known<'m>(
    model: &'m Model,
    request: RunRequest,
    reference: &mut Runner,
) -> Result<Known<'m>, InvestigateError> {
    Ok(match refer_to_model(reference, &request)? {
        Ok(reference) => Known::Outputs(Box::new(Original {
            model,
            request,
            reference,
        })),
        Err(judgement) => Known::Nothing(judgement),
    })
}

impl Original<'_> {
    pub fn model(&self) -> &Model {
        self.model
    }

    pub fn inputs(&self) -> &[Named] {
        &self.request.inputs
    }

    /// Judges the answer of `backend`, or of the reference if it is `None`, on the original.
    ///
    /// # Errors
    /// A worker cannot be started again, or the command is interrupted.
    pub fn before(
        &mut self,
        backend: Option<&mut Runner>,
        reference: &mut Runner,
    ) -> Result<UpgradeResult, InvestigateError> {
        let request = self.request.clone();
        self.after_request(backend, reference, &request)
    }

    /// Judges the answer of `backend`, or of the reference if it is `None`, on a converted model, which
    /// has the same inputs: the noise of the original is the measure.
    ///
    /// # Errors
    /// Like [`Self::before`].
    pub fn after(
        &mut self,
        backend: Option<&mut Runner>,
        reference: &mut Runner,
        converted: &Bytes,
        external: &External,
    ) -> Result<UpgradeResult, InvestigateError> {
        let request = RunRequest {
            model: converted.clone(),
            external: external.clone(),
            inputs: self.request.inputs.clone(),
        };
        self.after_request(backend, reference, &request)
    }

    /// As [`after`](Self::after), where the model takes other inputs, as fewer.
    ///
    /// # Errors
    /// A worker cannot be started again, or the command is interrupted.
    pub fn after_request(
        &mut self,
        backend: Option<&mut Runner>,
        reference: &mut Runner,
        request: &RunRequest,
    ) -> Result<UpgradeResult, InvestigateError> {
        let of_reference = backend.is_none();
        let answer = match backend {
            Some(backend) => backend.run(request)?,
            None => reference.run(request)?,
        };
        let outputs = match answer {
            Ok(outputs) => outputs,
            Err(judgement) => return Ok(UpgradeResult::Failed(judgement)),
        };
        let observed = aligned(&self.reference.values, outputs.values);
        let local = if of_reference {
            self.reference
                .local_of_reference(self.model, &observed, reference)?
        } else {
            self.reference.local(self.model, &observed, reference)?
        };
        Ok(if local.is_wrong() {
            UpgradeResult::Wrong(local)
        } else {
            UpgradeResult::Right(local)
        })
    }
}

/// `observed` with the names of `expected` where its own are others and the number is the same: tools rename
/// outputs and keep their order.
fn aligned(expected: &[Named], observed: Vec<Named>) -> Vec<Named> {
    let known = |(name, _): &Named| expected.iter().any(|(expected, _)| expected == name);
    if expected.len() != observed.len() || observed.iter().any(known) {
        return observed;
    }
    let names = expected.iter().map(|(name, _)| name.clone());
    names
        .zip(observed)
        .map(|(name, (_, value))| (name, value))
        .collect()
}

impl UpgradeResult {
    /// Whether the answer is right.
    pub fn is_right(&self) -> bool {
        matches!(self, UpgradeResult::Right(_))
    }

    /// A short description.
    pub fn words(&self) -> String {
        match self {
            UpgradeResult::Right(local) => {
                let words = match (local.standing, local.of_limit) {
                    (Standing::Exact, _) => "equal".to_owned(),
                    // Beyond its limit is an element that is not judged, for example a random one.
                    (standing @ Standing::WithinNoise, part) if part <= 1.0 => {
                        format!("{}, {part:.2} of its limit", standing.words())
                    }
                    (standing, _) => standing.words().to_owned(),
                };
                match local.judged.filter(|_| local.standing != Standing::CannotJudge) {
                    Some((judged, all)) => format!("{words} ({judged} of {all} outputs)"),
                    None => words,
                }
            }
            UpgradeResult::Wrong(_) => "WRONG".to_owned(),
            UpgradeResult::Failed(judgement) => judgement.verdict.kind().key().to_owned(),
        }
    }

    /// Why it is not right, or what is not judged or less accurate; empty if it is simply right.
    pub fn reason(&self) -> String {
        match self {
            UpgradeResult::Right(local) => local.remarks.join("; "),
            UpgradeResult::Wrong(local) => local.reason.clone(),
            UpgradeResult::Failed(judgement) => judgement.reason.clone(),
        }
    }
}
