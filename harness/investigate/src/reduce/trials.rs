//! Trials: whether a smaller model fails in the same way.

use std::collections::HashMap;

use backend_api::Named;
use harness_conformance::judge::Judgement;
use onnx_model::{Model, encode_value};
use sha2::{Digest, Sha256};

use super::Options;
use super::ahead::{Ahead, Team};
use crate::InvestigateError;
use crate::cut::{Part, Prepared};
use crate::declared::{finish, first};
use crate::form::Form;
use crate::given::Given;
use crate::property::hangs_on;
use crate::runner::{Answer, Outputs, RunRequest, Runner};
use crate::signature::Signature;
use crate::trial::{Reference, refer, refer_to, request};

/// The failure in a trial.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    /// The model that the backend ran.
    pub part: Part,
    /// The outputs of the reference, if it answers.
    pub expected: Option<Vec<Named>>,
    /// The failure of the backend.
    pub judgement: Judgement,
    signature: Signature,
}

/// The backends and the models that were tried.
pub(super) struct Trials<'r> {
    reference: &'r mut Runner,
    backend: &'r mut Runner,
    original: Original,
    tried: HashMap<Digest32, bool>,
    most: usize,
    ahead: Ahead,
}

/// The SHA-256 of a model with its inputs.
pub(super) type Digest32 = [u8; 32];

/// The failure on the original model, with which every other is compared.
#[derive(Clone, Debug)]
pub(super) struct Original {
    signature: Signature,
    /// The form of the models.
    form: Form,
    /// Whether the reference answers on the original model, and so must answer on every smaller one.
    referred: bool,
    /// Whether an expected output of the original model has no elements. If not, no output of a smaller
    /// model may be empty: the behaviour of an operator on empty tensors is a separate question.
    empty: bool,
}

impl Original {
    /// Whether a model fails in the same way.
    pub fn is_like(
        &self,
        part: &Part,
        reference: &mut Runner,
        backend: &mut Runner,
    ) -> Result<bool, InvestigateError> {
        let failed = failure(part, self, reference, backend)?;
        Ok(failed.is_some_and(|failed| {
            failed.signature == self.signature && (self.empty || !is_empty(failed.expected.as_deref()))
        }))
    }
}

impl Original {
    /// Whether the file with one changed property fails in the same way.
    fn is_repeated(
        &self,
        model: &Model,
        request: &RunRequest,
        reference: &mut Runner,
        backend: &mut Runner,
    ) -> Result<bool, InvestigateError> {
        let failed = failure_of(model, request, reference, backend)?;
        Ok(failed.is_some_and(|(signature, _)| signature == self.signature))
    }
}

/// How a backend fails on a file; `None` if its answer is right, or if the reference gives none to compare
/// with.
pub(super) fn failure_of(
    model: &Model,
    request: &RunRequest,
    reference: &mut Runner,
    backend: &mut Runner,
) -> Result<Option<(Signature, Judgement)>, InvestigateError> {
    let answer = backend.run(request)?;
    let mut expected = if answer.is_ok() {
        refer_to(reference, request)?.ok()
    } else {
        None
    };
    judged(model, expected.as_mut(), answer, reference)
}

impl<'r> Trials<'r> {
    /// Observes the failure on the file, and finds the form in which the complete model fails as it does.
    pub fn start(
        given: &Given<'_>,
        prepared: &Prepared,
        reference: &'r mut Runner,
        backend: &'r mut Runner,
        options: Options,
    ) -> Result<Trials<'r>, InvestigateError> {
        let mut original = observe(given, prepared, reference, backend)?;
        let found = first(prepared, reference, |part, reference| {
            original.is_like(part, reference, backend)
        })?;
        let Some(form) = found else {
            let fails = |request: &RunRequest| original.is_repeated(given.model, request, reference, backend);
            let properties = hangs_on(given, fails)?;
            return Err(InvestigateError::WholeFile {
                backend: backend.name().to_owned(),
                properties,
            });
        };
        original.form = form;
        let team = || Team {
            reference: reference.another(),
            backend: backend.another(),
        };
        Ok(Trials {
            ahead: Ahead::new((0..options.jobs.get()).map(|_| team()).skip(1).collect()),
            reference,
            backend,
            original,
            tried: HashMap::new(),
            most: options.trials,
        })
    }

    /// The form of the models.
    pub fn form(&self) -> Form {
        self.original.form
    }

    /// The common signature of the failures.
    pub fn signature(&self) -> &Signature {
        &self.original.signature
    }

    /// Whether the reference answers.
    pub fn has_reference(&self) -> bool {
        self.original.referred
    }

    /// The reference and the backend.
    pub fn backends(&mut self) -> (&mut Runner, &mut Runner) {
        (self.reference, self.backend)
    }

    /// The number of models that were tried.
    pub fn count(&self) -> usize {
        self.tried.len()
    }

    /// Whether the limit of trials is reached.
    pub fn is_exhausted(&self) -> bool {
        self.tried.len() >= self.most
    }

    /// Whether a model fails in the same way. After the limit of trials the result is false.
    pub fn fails(&mut self, part: &Part) -> Result<bool, InvestigateError> {
        self.decide(part, digest(part))
    }

    /// The first of the candidates that fails in the same way, with its key. The helpers try the
    /// candidates that follow at the same time; their results are used only where a candidate's turn comes.
    pub fn first<K>(
        &mut self,
        candidates: impl IntoIterator<Item = (K, Part)>,
    ) -> Result<Option<(K, Part)>, InvestigateError> {
        let mut candidates = candidates.into_iter();
        loop {
            let batch = candidates.by_ref().take(self.ahead.width());
            let (keys, parts): (Vec<K>, Vec<Part>) = batch.unzip();
            if parts.is_empty() {
                return Ok(None);
            }
            let parts: Vec<(Digest32, Part)> = parts.into_iter().map(|part| (digest(&part), part)).collect();
            self.look_ahead(&parts)?;
            for (key, (digest, part)) in keys.into_iter().zip(parts) {
                if self.decide(&part, digest)? {
                    return Ok(Some((key, part)));
                }
            }
        }
    }

    /// Tries the candidates at the same time, unless they are known or the limit is reached.
    fn look_ahead(&mut self, parts: &[(Digest32, Part)]) -> Result<(), InvestigateError> {
        if self.is_exhausted() {
            return Ok(());
        }
        let unknown = parts
            .iter()
            .filter(|(digest, _)| !self.tried.contains_key(digest));
        let unknown: Vec<&(Digest32, Part)> = unknown.collect();
        self.ahead
            .look(&unknown, &self.original, (self.reference, self.backend))
    }

    fn decide(&mut self, part: &Part, digest: Digest32) -> Result<bool, InvestigateError> {
        if let Some(known) = self.tried.get(&digest) {
            return Ok(*known);
        }
        if self.is_exhausted() {
            return Ok(false);
        }
        let same = match self.ahead.known(&digest) {
            Some(known) => known,
            None => self.original.is_like(part, self.reference, self.backend)?,
        };
        self.tried.insert(digest, same);
        Ok(same)
    }

    /// The failure on the last model.
    pub fn last(&mut self, part: &Part) -> Result<Failed, InvestigateError> {
        let failed = failure(part, &self.original, self.reference, self.backend)?;
        let same = failed.filter(|failed| failed.signature == self.original.signature);
        same.ok_or_else(|| InvestigateError::NotRepeated {
            backend: self.backend.name().to_owned(),
        })
    }
}

/// The failure of the backend on the file.
fn observe(
    given: &Given<'_>,
    prepared: &Prepared,
    reference: &mut Runner,
    backend: &mut Runner,
) -> Result<Original, InvestigateError> {
    let answered = backend.run(&given.request)?;
    let mut expected = match (refer_to(reference, &given.request)?, &answered) {
        (Ok(expected), _) => Some(expected),
        // It may refuse only what the file declares.
        (Err(_), Err(_)) => refer(reference, &prepared.complete(Form::BARE))?.ok(),
        (Err(judgement), Ok(_)) => {
            return Err(InvestigateError::NoReference {
                reason: judgement.reason,
                purpose: "reduced",
            });
        }
    };
    let failed = judged(given.model, expected.as_mut(), answered, reference)?;
    let (signature, _) = failed.ok_or_else(|| InvestigateError::NoFailure {
        backend: backend.name().to_owned(),
    })?;
    Ok(Original {
        signature,
        form: Form::BARE,
        empty: is_empty(expected.as_ref().map(|expected| expected.values.as_slice())),
        referred: expected.is_some(),
    })
}

/// The failure of an answer; `None` if it is right, or if there are no expected outputs.
fn judged(
    model: &Model,
    expected: Option<&mut Reference>,
    answer: Answer<Outputs>,
    reference: &mut Runner,
) -> Result<Option<(Signature, Judgement)>, InvestigateError> {
    Ok(match (answer, expected) {
        (Err(judgement), _) => Some((Signature::of_failure(&judgement), judgement)),
        (Ok(outputs), Some(expected)) => {
            let judged = expected.judge(model, &outputs.values, reference)?;
            let signature = Signature::of_answer(&judged, &expected.values, &outputs.values);
            signature.map(|signature| {
                let verdict = signature.verdict;
                (
                    signature,
                    Judgement {
                        verdict,
                        reason: judged.reason,
                    },
                )
            })
        }
        (Ok(_), None) => None,
    })
}

/// The failure of a backend on a model; `None` if there is none, or if the reference does not answer but
/// must.
fn failure(
    part: &Part,
    original: &Original,
    reference: &mut Runner,
    backend: &mut Runner,
) -> Result<Option<Failed>, InvestigateError> {
    let mut expected = if original.referred {
        match refer(reference, part)? {
            Ok(expected) => Some(expected),
            Err(_) => return Ok(None),
        }
    } else {
        None
    };
    let part = finish(part.clone(), original.form.adds, reference)?;
    let answer = backend.run(&request(&part))?;
    let failed = judged(&part.model, expected.as_mut(), answer, reference)?;
    Ok(failed.map(|(signature, judgement)| Failed {
        expected: expected.map(|expected| expected.values),
        part,
        judgement,
        signature,
    }))
}

/// Whether some output has no elements.
fn is_empty(expected: Option<&[Named]>) -> bool {
    let tensors = expected
        .into_iter()
        .flatten()
        .filter_map(|(_, value)| value.as_tensor());
    tensors.into_iter().any(|tensor| tensor.is_empty())
}

fn digest(part: &Part) -> Digest32 {
    let mut hasher = Sha256::new();
    hasher.update(part.model.encode());
    for (name, value) in &part.inputs {
        hasher.update(encode_value(value, name));
    }
    hasher.finalize().into()
}
