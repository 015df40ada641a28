//! A search that is under way.

use super::finding::{Blame, Finding, Growth, NodeFault};
use super::{HALVED_FROM, Local, Team, known};
use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values, operator};
use crate::trial::{check, is_random, refer};

/// A search that is under way.
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

    /// The outputs differ by `apart`.
    pub fn wrong(
        &mut self,
        apart: f64,
        scan: bool,
        team: &mut Team<'_>,
    ) -> Result<Finding, InvestigateError> {
        let mut near = None;
        if apart >= HALVED_FROM
            && !scan
            && let Some((index, values)) = self.bisect(apart, team)?
        {
            near = Some(index);
            if let Some(fault) = self
                .alone(index, &values, team)?
                .filter(|fault| fault.local.leaves_bound)
            {
                return self.blamed(fault, team);
            }
            self.notes.push(format!(
                "the propagated error is first large behind `{}`, which is within its bound alone",
                self.label(index).0
            ));
        }
        let found = self.scan(team)?;
        match found.fault {
            Some(fault) => self.blamed(fault, team),
            None if apart < HALVED_FROM && self.notes.is_empty() => Ok(Finding::Rounding {
                largest: found.largest,
            }),
            None => self.together(near, found.largest, apart, team),
        }
    }

    /// The local error of one node on these values; none where the reference does not answer on it, where the backend gives no
    /// answer, or where the node draws at random.
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
                    "the backend fails on `{label}` ({operator}) alone: {}",
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
            blame: Vec::new(),
        }
    }

    /// The fault as far inside as it can be followed, with what other backends make of the node.
    pub fn blamed(&mut self, fault: NodeFault, team: &mut Team<'_>) -> Result<Finding, InvestigateError> {
        let mut fault = self.inside(fault, team)?;
        fault.blame = blame(&fault.part, team)?;
        Ok(Finding::Node(Box::new(fault)))
    }
}

/// What other backends make of a part.
pub(super) fn blame(part: &Part, team: &mut Team<'_>) -> Result<Blame, InvestigateError> {
    let Ok(reference) = refer(team.reference, part)? else {
        return Ok(Vec::new());
    };
    let others = team.others.iter_mut();
    others
        .map(|other| Ok((other.name().to_owned(), check(other, part, &reference)?)))
        .collect()
}
