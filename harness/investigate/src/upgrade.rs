//! Whether a converted model gives what the original gives, on the reference and on backends.

use backend_api::Named;
use backend_api::protocol::ExternalFile;
use harness_conformance::judge::Judgement;
use onnx_model::{Bytes, Model};
use onnx_randomness::Draws;

use crate::InvestigateError;
use crate::runner::{Question, Runner};
pub use crate::trial::Local;
use crate::trial::{Reference, local, refer_to};

/// The original model, with what it should give.
#[derive(Debug)]
pub struct Original<'m> {
    model: &'m Model,
    question: Question,
    reference: Reference,
}

/// What is known of the original.
#[derive(Debug)]
pub enum Known<'m> {
    /// What it gives.
    Outputs(Original<'m>),
    /// Its outputs are drawn at random: two runs do not compare.
    Random,
    /// The reference gives no answer.
    Nothing(Judgement),
}

/// How an answer stands beside that of the reference on the original.
#[derive(Clone, Debug)]
pub enum Held {
    /// Within its bound.
    Right(Local),
    /// Outside.
    Wrong(Local),
    /// There is no answer.
    Failed(Judgement),
}

/// Asks the reference what the original gives.
///
/// # Errors
/// A worker that cannot be started again, or an interruption.
pub fn known<'m>(
    model: &'m Model,
    question: Question,
    reference: &mut Runner,
) -> Result<Known<'m>, InvestigateError> {
    if Draws::of_model(model, &question.inputs).is_some() {
        return Ok(Known::Random);
    }
    Ok(match refer_to(reference, &question)? {
        Ok(reference) => Known::Outputs(Original {
            model,
            question,
            reference,
        }),
        Err(judgement) => Known::Nothing(judgement),
    })
}

impl Original<'_> {
    /// The inputs.
    pub fn inputs(&self) -> &[Named] {
        &self.question.inputs
    }

    /// How a backend stands on the original.
    ///
    /// # Errors
    /// A worker that cannot be started again, or an interruption.
    pub fn before(&self, backend: &mut Runner) -> Result<Held, InvestigateError> {
        self.held(backend, &self.question)
    }

    /// How a backend stands on a converted model, which has the same inputs.
    ///
    /// # Errors
    /// As [`Self::before`].
    pub fn after(
        &self,
        backend: &mut Runner,
        converted: &Bytes,
        files: &[ExternalFile],
    ) -> Result<Held, InvestigateError> {
        let question = Question {
            model: converted.clone(),
            files: files.to_vec(),
            inputs: self.question.inputs.clone(),
        };
        self.held(backend, &question)
    }

    fn held(&self, backend: &mut Runner, question: &Question) -> Result<Held, InvestigateError> {
        Ok(match backend.run(question)? {
            Err(judgement) => Held::Failed(judgement),
            Ok(outputs) => match local(self.model, &self.reference, &outputs.values) {
                local if local.leaves_bound => Held::Wrong(local),
                local => Held::Right(local),
            },
        })
    }
}

impl Held {
    /// Whether the answer is right.
    pub fn is_right(&self) -> bool {
        matches!(self, Held::Right(_))
    }

    /// In a few words.
    pub fn words(&self) -> String {
        match self {
            Held::Right(local) if local.deviation == 0.0 => "equal".to_owned(),
            Held::Right(local) if local.of_bound.is_nan() => {
                "within tolerance (no bound is known)".to_owned()
            }
            Held::Right(local) if local.of_bound < 0.01 => {
                "within rounding, less than 0.01 of its bound".to_owned()
            }
            Held::Right(local) => format!("within rounding, {:.2} of its bound", local.of_bound),
            Held::Wrong(_) => "WRONG".to_owned(),
            Held::Failed(judgement) => judgement.verdict.kind().key().to_owned(),
        }
    }

    /// Why it is not right; empty where it is.
    pub fn reason(&self) -> &str {
        match self {
            Held::Right(_) => "",
            Held::Wrong(local) => &local.reason,
            Held::Failed(judgement) => &judgement.reason,
        }
    }
}
