//! Whether a converted model has the outputs of the original, on the reference and on backends.

use backend_api::Named;
use backend_api::protocol::ExternalFile;
use harness_conformance::judge::Judgement;
use onnx_model::{Bytes, Model};
use onnx_randomness::Draws;

use crate::InvestigateError;
use crate::runner::{RunRequest, Runner};
pub use crate::trial::Local;
use crate::trial::{Reference, local, refer_to};

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
    Outputs(Original<'m>),
    /// They are random, so that two runs cannot be compared.
    Random,
    /// The reference gives no answer.
    Nothing(Judgement),
}

/// A backend's answer compared with that of the reference on the original.
#[derive(Clone, Debug)]
pub enum UpgradeResult {
    /// Within the bound.
    Right(Local),
    /// Outside the bound.
    Wrong(Local),
    /// There is no answer.
    Failed(Judgement),
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
    if Draws::of_model(model, &request.inputs).is_some() {
        return Ok(Known::Random);
    }
    Ok(match refer_to(reference, &request)? {
        Ok(reference) => Known::Outputs(Original {
            model,
            request,
            reference,
        }),
        Err(judgement) => Known::Nothing(judgement),
    })
}

impl Original<'_> {
    /// The inputs.
    pub fn inputs(&self) -> &[Named] {
        &self.request.inputs
    }

    /// Compares a backend's answer on the original.
    ///
    /// # Errors
    /// A worker cannot be started again, or the command is interrupted.
    pub fn before(&self, backend: &mut Runner) -> Result<UpgradeResult, InvestigateError> {
        self.compare(backend, &self.request)
    }

    /// Compares a backend's answer on a converted model, which has the same inputs.
    ///
    /// # Errors
    /// Like [`Self::before`].
    pub fn after(
        &self,
        backend: &mut Runner,
        converted: &Bytes,
        files: &[ExternalFile],
    ) -> Result<UpgradeResult, InvestigateError> {
        let request = RunRequest {
            model: converted.clone(),
            files: files.to_vec(),
            inputs: self.request.inputs.clone(),
        };
        self.compare(backend, &request)
    }

    fn compare(&self, backend: &mut Runner, request: &RunRequest) -> Result<UpgradeResult, InvestigateError> {
        Ok(match backend.run(request)? {
            Err(judgement) => UpgradeResult::Failed(judgement),
            Ok(outputs) => match local(self.model, &self.reference, &outputs.values) {
                local if local.leaves_bound => UpgradeResult::Wrong(local),
                local => UpgradeResult::Right(local),
            },
        })
    }
}

impl UpgradeResult {
    /// Whether the answer is right.
    pub fn is_right(&self) -> bool {
        matches!(self, UpgradeResult::Right(_))
    }

    /// A short description.
    pub fn words(&self) -> String {
        match self {
            UpgradeResult::Right(local) if local.deviation == 0.0 => "equal".to_owned(),
            UpgradeResult::Right(local) if local.of_bound.is_nan() => {
                "within tolerance (no bound is known)".to_owned()
            }
            UpgradeResult::Right(local) if local.of_bound < 0.01 => {
                "within rounding, less than 0.01 of its bound".to_owned()
            }
            UpgradeResult::Right(local) => format!("within rounding, {:.2} of its bound", local.of_bound),
            UpgradeResult::Wrong(_) => "WRONG".to_owned(),
            UpgradeResult::Failed(judgement) => judgement.verdict.kind().key().to_owned(),
        }
    }

    /// Why it is not right; empty if it is.
    pub fn reason(&self) -> &str {
        match self {
            UpgradeResult::Right(_) => "",
            UpgradeResult::Wrong(local) => &local.reason,
            UpgradeResult::Failed(judgement) => &judgement.reason,
        }
    }
}
