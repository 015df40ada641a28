//! Runs parts of the model on the backend.

use harness_conformance::judge::Judgement;
use run_record::VerdictKind;

use super::search::Search;
use super::{Team, known};
use crate::InvestigateError;
use crate::cut::{Part, Values};
use crate::declared::finish;
use crate::form::Form;
use crate::runner::{Answer, Outputs};
use crate::trial::{Local, Reference, request};

/// Nodes with the outputs of a model of them, and the values that are known beside those of inputs.
pub(crate) struct Cut<'c> {
    pub nodes: &'c [usize],
    pub outputs: &'c [String],
    pub live: &'c Values,
}

impl Search<'_> {
    /// The model of a cut without declarations, for the reference.
    pub fn plain(&self, cut: &Cut<'_>) -> Part {
        self.cut_as(Form::BARE, cut)
    }

    /// The model of a cut in the form of the search.
    pub fn formed(&self, cut: &Cut<'_>, team: &mut Team<'_>) -> Result<Part, InvestigateError> {
        self.formed_as(self.form, cut, team)
    }

    fn formed_as(&self, form: Form, cut: &Cut<'_>, team: &mut Team<'_>) -> Result<Part, InvestigateError> {
        finish(self.cut_as(form, cut), form.adds, team.reference)
    }

    fn cut_as(&self, form: Form, cut: &Cut<'_>) -> Part {
        let values = known(&self.prepared.inputs, cut.live);
        self.prepared.cut_as(form, cut.nodes, cut.outputs, &values)
    }

    /// The answer of the backend on a cut. If it gives none on the form of the search, the other forms are
    /// tried; the failure is that on the first form.
    pub fn ask(
        &mut self,
        cut: &Cut<'_>,
        team: &mut Team<'_>,
    ) -> Result<(Part, Answer<Outputs>), InvestigateError> {
        let part = self.formed(cut, team)?;
        self.probes += 1;
        let first = team.backend.run(&request(&part))?;
        // A hang is not worth five more.
        let is_final = |judgement: &Judgement| judgement.verdict.kind() == VerdictKind::Timeout;
        if first.as_ref().err().is_none_or(is_final) {
            return Ok((part, first));
        }
        let mut tried = vec![part.model.encode()];
        for form in Form::all().filter(|form| *form != self.form) {
            let other = self.formed_as(form, cut, team)?;
            let bytes = other.model.encode();
            if tried.contains(&bytes) {
                continue;
            }
            tried.push(bytes);
            self.probes += 1;
            let answer = team.backend.run(&request(&other))?;
            if answer.is_ok() {
                return Ok((other, answer));
            }
        }
        Ok((part, first))
    }

    /// The error of the backend on a cut, with the model on which it answered.
    pub fn check(
        &mut self,
        cut: &Cut<'_>,
        reference: &mut Reference,
        team: &mut Team<'_>,
    ) -> Result<Result<(Local, Part), Judgement>, InvestigateError> {
        let (part, answer) = self.ask(cut, team)?;
        match answer {
            Ok(outputs) => {
                let local = reference.local(&part.model, &outputs.values, team.reference)?;
                Ok(Ok((local, part)))
            }
            Err(judgement) => Ok(Err(judgement)),
        }
    }
}
