//! The state of a search.

use std::time::Instant;

use backend_api::Named;
use harness_conformance::judge::Judgement;

use super::ask::Cut;
use super::bisect::threshold;
use super::finding::{Finding, Growth, NodeFault, OtherResults, WholeFile};
use super::walk::Visited;
use super::{Local, MIN_BISECTED, Team, refer_plain};
use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values, operator};
use crate::declared::first;
use crate::deviation::deviation;
use crate::form::Form;
use crate::given::Given;
use crate::property::hangs_on;
use crate::runner::{Answer, Outputs, RunRequest, Runner};
use crate::signature::Signature;
use crate::trial::{check, refer, refer_to_model, request};

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
    /// When a scan ends, whatever is left.
    pub until: Option<Instant>,
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
            until: None,
        }
    }
}

impl Search<'_> {
    /// Whether the time of the search is over.
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() > until)
    }

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
        let expected = refer_to_model(team.reference, &given.request)?;
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
            (Ok(mut expected), Ok(observed)) => {
                let whole = expected.local(given.model, &observed.values, team.reference)?;
                self.difference = Some(whole.difference);
                let scan = scan || whole.may_hide;
                let finding = if whole.is_wrong() || scan {
                    self.with_answer(given, &expected.values, (&whole, scan), team)?
                } else {
                    Finding::Right {
                        standing: whole.standing,
                        largest: None,
                    }
                };
                Ok((Some(whole.deviation), finding))
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

    /// The outputs of the file are wrong, or every node is checked.
    fn with_answer(
        &mut self,
        given: &Given<'_>,
        expected: &[Named],
        (whole, scan): (&Local, bool),
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let apart = whole.deviation;
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
            return self.judged(whole, scan, team);
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

    /// Searches after the outputs were judged.
    pub fn judged(
        &mut self,
        whole: &Local,
        scan: bool,
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let (apart, mut near) = (whole.deviation, None);
        if apart >= MIN_BISECTED
            && !scan
            && let Some((index, values)) = self.bisect(apart, team)?
        {
            near = Some(index);
            if let Some(fault) = self
                .alone(index, &values, team)?
                .filter(|fault| fault.local.is_wrong() && !fault.is_constant())
            {
                return self.with_others(fault, team);
            }
            self.notes.push(format!(
                "the propagated error is first large after `{}`, but this node alone is right",
                self.label(index).0
            ));
        }
        let found = self.scan(team)?;
        match found.fault {
            Some(fault) => self.with_others(fault, team),
            None if !whole.is_wrong() => Ok(Finding::Right {
                standing: whole.standing,
                largest: found.largest,
            }),
            None => {
                if near.is_none() {
                    near = self.bisect(apart, team)?.map(|(index, _)| index);
                }
                self.together(near, found.largest, team)
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
        let Ok(mut reference) = refer(team.reference, &part)? else {
            return Ok(None);
        };
        let mut node = Visited {
            index,
            cut,
            part: &part,
            expected: &mut reference,
        };
        match self.check_node(&mut node, team)? {
            Some(Ok(fault)) => Ok(Some(fault)),
            Some(Err(failure)) => {
                self.notes.push(failure.words);
                Ok(None)
            }
            None => Ok(None),
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
    let Ok(mut reference) = refer(team.reference, part)? else {
        return Ok(Vec::new());
    };
    let Team {
        others,
        reference: runner,
        ..
    } = team;
    let check = |other: &mut Runner| {
        let checked = check(other, part, &mut reference, runner)?;
        Ok((other.name().to_owned(), checked))
    };
    others.iter_mut().map(check).collect()
}
