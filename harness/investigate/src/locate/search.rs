//! The state of a search.

use super::finding::{Finding, Growth, NodeFault, OtherResults};
use super::{Local, MIN_BISECTED, Team, complete_model, known, refer_plain};
use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values, operator};
use crate::deviation::deviation;
use crate::trial::{check, is_random, refer, request};

/// The state of a search.
pub(super) struct Search<'p> {
    pub prepared: &'p Prepared,
    pub growth: Vec<Growth>,
    pub notes: Vec<String>,
    pub probes: usize,
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

    /// Runs the complete model, and searches if the backend's answer is wrong or missing.
    pub fn run(
        &mut self,
        scan: bool,
        team: &mut Team<'_>,
    ) -> Result<(Option<f64>, Finding), InvestigateError> {
        let whole = complete_model(self.prepared);
        let expected = refer_plain(team.reference, &whole)?;
        match (expected, team.backend.run(&request(&whole))?) {
            (expected, Err(judgement)) => {
                if let Err(refused) = expected {
                    self.notes.push(format!(
                        "the reference does not answer either: {}",
                        refused.reason
                    ));
                }
                Ok((None, self.failing(judgement, team)?))
            }
            (Err(judgement), Ok(_)) => Err(InvestigateError::NoReference {
                reason: judgement.reason,
                purpose: "located",
            }),
            (Ok(expected), Ok(observed)) => {
                let apart = deviation(&expected, &observed.values);
                let finding = match apart > 0.0 || scan {
                    false => Finding::Agrees,
                    true => self.wrong(apart, scan, team)?,
                };
                Ok((Some(apart), finding))
            }
        }
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
            None if apart < MIN_BISECTED && self.notes.is_empty() => Ok(Finding::Rounding {
                largest: found.largest,
            }),
            None => self.together(near, found.largest, apart, team),
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
        let part = self.part(index, values);
        if is_random(&part) {
            return Ok(None);
        }
        let Ok(reference) = refer(team.reference, &part)? else {
            return Ok(None);
        };
        self.probes += 1;
        match check(team.backend, &part, &reference)? {
            Ok(local) => Ok(Some(self.fault(index, local, part))),
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

    /// The model of one node.
    pub fn part(&self, index: usize, values: &Values) -> Part {
        let outputs = self.prepared.wanted(index);
        self.prepared
            .cut(&[index], &outputs, &known(&self.prepared.inputs, values))
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
