//! What is known of models before backends are judged: inputs and expected outputs.

use backend_api::Named;
use harness_corpus::{Fetcher, Lockfile};
use harness_investigate::InvestigateError;
use harness_investigate::runner::{Question, Runner};
use harness_investigate::subject::Subject;
use harness_investigate::truth::{Expected, Truth, by_agreement, by_reference};
use harness_worker::Cancel;

use super::Compare;
use crate::CliError;
use crate::inputs::{REFERENCE, draw, reference};
use crate::selection::fetcher;

/// A model with what is known of it before backends are judged.
pub(crate) struct Prepared {
    pub subject: Subject,
    /// Inputs and expected outputs.
    pub sets: Vec<(Vec<Named>, Vec<Named>)>,
    pub truth: Truth,
    /// Whether the stored data sets are used, so that their outputs are judged as well.
    pub stored: bool,
}

/// The models by what is known of them.
pub(super) struct Found {
    pub prepared: Vec<Prepared>,
    /// Why models cannot be judged: no inputs, or nobody knows what is right.
    pub undecided: Vec<CliError>,
}

/// Those who are asked what is right.
struct Oracles<'c> {
    command: &'c Compare,
    lock: Lockfile,
    fetcher: Fetcher,
    cancel: &'c Cancel,
    reference: Runner,
    /// Started when the reference does not answer for the first time.
    others: Option<Vec<Runner>>,
}

/// Finds inputs and expected outputs of each model.
///
/// # Errors
/// A worker that does not start, or an interruption. What is wrong with one model costs only that.
pub(super) fn prepare(command: &Compare, subjects: Vec<Subject>, cancel: &Cancel) -> Result<Found, CliError> {
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    let reference = reference(&command.backends.workers, command.strict, &lock, &fetcher, cancel)?;
    let mut oracles = Oracles {
        command,
        lock,
        fetcher,
        cancel,
        reference,
        others: None,
    };
    let mut found = Found {
        prepared: Vec::new(),
        undecided: Vec::new(),
    };
    for subject in subjects {
        match oracles.prepare(subject) {
            Ok(prepared) => found.prepared.push(prepared),
            Err(
                error @ CliError::Investigate(
                    InvestigateError::Input { .. } | InvestigateError::Undecided { .. },
                ),
            ) => {
                found.undecided.push(error);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

impl Oracles<'_> {
    fn prepare(&mut self, subject: Subject) -> Result<Prepared, CliError> {
        let inputs = &self.command.inputs;
        let stored = inputs.is_empty() && !subject.stored.is_empty();
        let all_inputs = match stored {
            true => subject.stored.iter().map(|set| set.inputs.clone()).collect(),
            false => {
                let request = inputs.request(self.command.noise.seed());
                vec![draw(&subject, &request, &mut self.reference)?]
            }
        };
        let (mut sets, mut truth) = (Vec::new(), Truth::Reference);
        for inputs in all_inputs {
            let question = Question {
                model: subject.bytes.clone(),
                files: subject.files.clone(),
                inputs,
            };
            match self.expected(&question)? {
                Expected::Known {
                    outputs,
                    truth: known,
                } => {
                    truth = known;
                    sets.push((question.inputs, outputs));
                }
                Expected::Unknown { reason } => {
                    let model = subject.name;
                    return Err(InvestigateError::Undecided { model, reason }.into());
                }
            }
        }
        Ok(Prepared {
            subject,
            sets,
            truth,
            stored,
        })
    }

    fn expected(&mut self, question: &Question) -> Result<Expected, CliError> {
        let reason = match by_reference(question, &mut self.reference)? {
            Ok(known) => return Ok(known),
            Err(reason) => reason,
        };
        let others = match &mut self.others {
            Some(others) => others,
            None => {
                let others = self.start()?;
                self.others.insert(others)
            }
        };
        Ok(by_agreement(reason, question, others)?)
    }

    /// The backends of the command. One that is missing is noted by the run.
    fn start(&self) -> Result<Vec<Runner>, CliError> {
        let backends = &self.command.backends;
        let (specs, _) = backends.specs(&self.lock, &self.fetcher)?;
        let started = specs
            .into_iter()
            .filter(|spec| spec.name != REFERENCE)
            .filter_map(|spec| Runner::start(spec, self.cancel.clone(), backends.workers.timeout).ok());
        Ok(started.collect())
    }
}
