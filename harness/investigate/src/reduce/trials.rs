//! Trials: whether a smaller model fails in the same way.

use std::collections::HashMap;

use backend_api::Named;
use harness_conformance::judge::Judgement;
use onnx_model::encode_value;
use reports::record::Verdict;
use sha2::{Digest, Sha256};

use super::Signature;
use crate::InvestigateError;
use crate::cut::Part;
use crate::runner::Runner;
use crate::trial::{held, question, refer};

/// What a trial came to.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    /// What the reference gives, if it answers.
    pub expected: Option<Vec<Named>>,
    /// How the backend fails.
    pub judgement: Judgement,
    signature: Signature,
}

/// The backends with what was tried.
pub(super) struct Trials<'r> {
    reference: &'r mut Runner,
    backend: &'r mut Runner,
    signature: Signature,
    /// Whether the reference answers on the original model, and so must on every smaller one.
    referred: bool,
    tried: HashMap<[u8; 32], bool>,
    most: usize,
}

impl<'r> Trials<'r> {
    /// Observes the failure on the original model.
    pub fn start(
        original: &Part,
        reference: &'r mut Runner,
        backend: &'r mut Runner,
        most: usize,
    ) -> Result<Trials<'r>, InvestigateError> {
        let answered = backend.run(&question(original))?;
        let referred = reference.run(&question(original))?;
        if let (Ok(_), Err(judgement)) = (&answered, &referred) {
            return Err(InvestigateError::NoReference {
                reason: judgement.reason.clone(),
                purpose: "reduced",
            });
        }
        let referred = referred.is_ok();
        let failed = failure(original, referred, reference, backend)?;
        let failed = failed.ok_or_else(|| InvestigateError::NoFailure {
            backend: backend.name().to_owned(),
        })?;
        Ok(Trials {
            reference,
            backend,
            signature: failed.signature,
            referred,
            tried: HashMap::new(),
            most,
        })
    }

    /// What the failures have in common.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Whether the reference answers.
    pub fn is_referred(&self) -> bool {
        self.referred
    }

    /// The reference and the backend.
    pub fn backends(&mut self) -> (&mut Runner, &mut Runner) {
        (self.reference, self.backend)
    }

    /// Models that were tried.
    pub fn count(&self) -> usize {
        self.tried.len()
    }

    /// Whether no more models may be tried.
    pub fn is_spent(&self) -> bool {
        self.tried.len() >= self.most
    }

    /// Whether a model fails in the same way. A model beyond the limit of trials counts as one that does not.
    pub fn fails(&mut self, part: &Part) -> Result<bool, InvestigateError> {
        let digest = digest(part);
        if let Some(known) = self.tried.get(&digest) {
            return Ok(*known);
        }
        if self.is_spent() {
            return Ok(false);
        }
        let failed = failure(part, self.referred, self.reference, self.backend)?;
        let same = failed.is_some_and(|failed| failed.signature == self.signature);
        self.tried.insert(digest, same);
        Ok(same)
    }

    /// The failure on the last model.
    pub fn last(&mut self, part: &Part) -> Result<Failed, InvestigateError> {
        let failed = failure(part, self.referred, self.reference, self.backend)?;
        failed.ok_or_else(|| InvestigateError::NoFailure {
            backend: self.backend.name().to_owned(),
        })
    }
}

/// How a backend fails on a model; none where it does not, and where the reference must answer and does not.
fn failure(
    part: &Part,
    referred: bool,
    reference: &mut Runner,
    backend: &mut Runner,
) -> Result<Option<Failed>, InvestigateError> {
    let expected = match referred {
        true => match refer(reference, part)? {
            Ok(expected) => Some(expected),
            Err(_) => return Ok(None),
        },
        false => None,
    };
    let failed = match (backend.run(&question(part))?, &expected) {
        (Err(judgement), _) => Some((Signature::of_failure(&judgement), judgement)),
        (Ok(outputs), Some(expected)) => {
            let comparison = held(&part.model, expected, &outputs.values);
            Signature::of_answer(&comparison).zip(comparison.mismatch.map(|mismatch| Judgement {
                verdict: Verdict::Mismatch(mismatch.kind),
                reason: mismatch.reason,
            }))
        }
        (Ok(_), None) => None,
    };
    Ok(failed.map(|(signature, judgement)| Failed {
        expected: expected.map(|expected| expected.values),
        judgement,
        signature,
    }))
}

fn digest(part: &Part) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(part.model.encode());
    for (name, value) in &part.inputs {
        hasher.update(encode_value(value, name));
    }
    hasher.finalize().into()
}
