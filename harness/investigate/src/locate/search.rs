//! The state of a search.

use backend_api::Named;
use harness_conformance::judge::Judgement;

use super::ask::Cut;
use super::bisect::threshold;
use super::finding::{Finding, Growth, NodeFault, OtherResults, WholeFile};
use super::{Local, MIN_BISECTED, Team, refer_plain};
use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values, operator};
use crate::declared::first;
use crate::deviation::{deviation, difference};
use crate::form::Form;
use crate::given::Given;
use crate::property::hangs_on;
use crate::runner::{Answer, Outputs, RunRequest};
use crate::signature::Signature;
use crate::trial::{check, is_random, refer, request};

/// The state of a search.
pub(super) struct Search<'p> {
    pub prepared: &'p Prepared,
    /// The form of the models that the backend runs.
    pub form: Form,
    /// The difference of the outputs of the file, for people.
    pub difference: Option<f64>,
    pub growth: Vec<Growth>,
    pub notes: Vec<String>,
    pub probes: usize,
}

impl<'p> Search<'p> {
    pub fn new(prepared: &'p Prepared, form: Form) -> Search<'p> {
        Search {
            prepared,
            form,
            difference: None,
            growth: Vec::new(),
            notes: Vec::new(),
            probes: 0,
        }
    }
}

impl Search<'_> {
    pub fn label(&self, index: usize) -> (String, String) {
        let node = self.prepared.node(index);
        let label = node.map_or(String::new(), |node| node.label().to_owned());
        (
            label,
            node.map_or(String::new(), |node| operator(&self.prepared.model, node)),
        )
    }

    /// Runs the file, chooses the form of cuts, and searches if the backend's answer is wrong or missing.
    pub fn run(
        &mut self,
        given: &Given<'_>,
        scan: bool,
        team: &mut Team<'_>,
    ) -> Result<(Option<f64>, Finding), InvestigateError> {
        let expected = team.reference.run(&given.request)?;
        self.probes += 1;
        match (expected, team.backend.run(&given.request)?) {
            (expected, Err(judgement)) => {
                if let Err(refused) = expected {
                    self.notes.push(format!(
                        "the reference does not answer either: {}",
                        refused.reason
                    ));
                }
                Ok((None, self.without_answer(given, judgement, team)?))
            }
            (Err(judgement), Ok(_)) => Err(InvestigateError::NoReference {
                reason: judgement.reason,
                purpose: "located",
            }),
            (Ok(expected), Ok(observed)) => {
                let apart = deviation(&expected.values, &observed.values);
                self.difference = Some(difference(&expected.values, &observed.values));
                let finding = match apart > 0.0 || scan {
                    false => Finding::Agrees,
                    true => self.with_answer(given, &expected.values, (apart, scan), team)?,
                };
                Ok((Some(apart), finding))
            }
        }
    }

    /// The backend gives no answer on the file.
    fn without_answer(
        &mut self,
        given: &Given<'_>,
        judgement: Judgement,
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let like = Signature::of_failure(&judgement);
        let same = |answer: Answer<Outputs>| answer.is_err_and(|other| Signature::of_failure(&other) == like);
        if self.choose(team, &same)? {
            return self.failing(judgement, team);
        }
        let mut fails = |request: &RunRequest| Ok(same(team.backend.run(request)?));
        Ok(Finding::WholeFile(WholeFile {
            judgement: Some(judgement),
            properties: hangs_on(given, &mut fails)?,
        }))
    }

    /// The outputs of the file differ by `apart`.
    fn with_answer(
        &mut self,
        given: &Given<'_>,
        expected: &[Named],
        (apart, scan): (f64, bool),
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let complete = self.prepared.complete(Form::BARE);
        let same_reference =
            refer_plain(team.reference, &complete)?.is_ok_and(|values| deviation(expected, &values) == 0.0);
        if !same_reference {
            self.notes.push(
                "the reference answers otherwise on a model of the same nodes: the model is random, or depends on more than its graph"
                    .to_owned(),
            );
        }
        let is_large = |apart: f64| apart >= MIN_BISECTED;
        let same = |answer: Answer<Outputs>| {
            answer.is_ok_and(|outputs| {
                !is_large(apart) || deviation(expected, &outputs.values) > threshold(apart)
            })
        };
        if self.choose(team, &same)? {
            return self.wrong(apart, scan, team);
        }
        let mut fails = |request: &RunRequest| Ok(same(team.backend.run(request)?));
        Ok(Finding::WholeFile(WholeFile {
            judgement: None,
            properties: hangs_on(given, &mut fails)?,
        }))
    }

    /// Chooses the first form in which the complete model has the same result as the file.
    fn choose(
        &mut self,
        team: &mut Team<'_>,
        same: &dyn Fn(Answer<Outputs>) -> bool,
    ) -> Result<bool, InvestigateError> {
        let (backend, probes) = (&mut *team.backend, &mut self.probes);
        let found = first(self.prepared, team.reference, |part, _| {
            *probes += 1;
            Ok(same(backend.run(&request(part))?))
        })?;
        self.form = found.unwrap_or(self.form);
        Ok(found.is_some())
    }

    /// Searches after the outputs differ by `apart`.
    pub fn wrong(
        &mut self,
        apart: f64,
        scan: bool,
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let mut near = None;
        if apart >= MIN_BISECTED
            && !scan
            && let Some((index, values)) = self.bisect(apart, team)?
        {
            near = Some(index);
            if let Some(fault) = self
                .alone(index, &values, team)?
                .filter(|fault| fault.local.leaves_bound)
            {
                return self.with_others(fault, team);
            }
            self.notes.push(format!(
                "the propagated error is first large after `{}`, but this node alone is within its bound",
                self.label(index).0
            ));
        }
        let found = self.scan(team)?;
        match found.fault {
            Some(fault) => self.with_others(fault, team),
            None if apart < MIN_BISECTED && self.notes.is_empty() && found.largest.is_some() => {
                Ok(Finding::Rounding {
                    largest: found.largest,
                })
            }
            None => {
                // Where every node alone is exact, no rounding explains a small difference.
                if near.is_none() && found.largest.is_none() && apart > 0.0 {
                    near = self.bisect(apart, team)?.map(|(index, _)| index);
                }
                self.together(near, found.largest, apart, team)
            }
        }
    }

    /// The local error of a single node with these values; `None` if the reference or the backend gives
    /// no answer on it, or if the node is random.
    pub fn alone(
        &mut self,
        index: usize,
        values: &Values,
        team: &mut Team<'_>,
    ) -> Result<Option<NodeFault>, InvestigateError> {
        let outputs = self.prepared.wanted(index);
        let cut = Cut {
            nodes: &[index],
            outputs: &outputs,
            live: values,
        };
        let part = self.plain(&cut);
        if is_random(&part) {
            return Ok(None);
        }
        let Ok(reference) = refer(team.reference, &part)? else {
            return Ok(None);
        };
        match self.check(&cut, &reference, team)? {
            Ok((local, part)) => Ok(Some(self.fault(index, local, part))),
            Err(judgement) => {
                let (label, operator) = self.label(index);
                self.notes.push(format!(
                    "the backend fails on the single node `{label}` ({operator}): {}",
                    judgement.reason
                ));
                Ok(None)
            }
        }
    }

    /// The model of one node in the form of the search.
    pub fn single(
        &self,
        index: usize,
        values: &Values,
        team: &mut Team<'_>,
    ) -> Result<Part, InvestigateError> {
        let outputs = self.prepared.wanted(index);
        let cut = Cut {
            nodes: &[index],
            outputs: &outputs,
            live: values,
        };
        self.formed(&cut, team)
    }

    pub fn fault(&self, index: usize, local: Local, part: Part) -> NodeFault {
        let (label, operator) = self.label(index);
        NodeFault {
            index,
            path: vec![label],
            operator,
            local,
            part,
            others: Vec::new(),
        }
    }

    /// The innermost location of the fault, with the results of other backends on the node.
    pub fn with_others(
        &mut self,
        fault: NodeFault,
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let mut fault = self.inside(fault, team)?;
        fault.others = other_results(&fault.part, team)?;
        Ok(Finding::Node(Box::new(fault)))
    }
}

/// The results of other backends on a part.
pub(super) fn other_results(part: &Part, team: &mut Team<'_>) -> Result<OtherResults, InvestigateError> {
    let Ok(reference) = refer(team.reference, part)? else {
        return Ok(Vec::new());
    };
    let others = team.others.iter_mut();
    others
        .map(|other| Ok((other.name().to_owned(), check(other, part, &reference)?)))
        .collect()
}
