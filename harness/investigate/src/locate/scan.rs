//! Measures the local error of every node, in order.

use std::ops::ControlFlow::{self, Break, Continue};

use harness_conformance::judge::Judgement;
use run_record::standing::Standing;

use super::search::Search;
use super::walk::{Visited, each_node};
use super::{NodeFault, Team};
use crate::InvestigateError;
use crate::trial::is_random;

/// The result of a scan.
#[derive(Default)]
pub(super) struct Scanned {
    /// The first node that is wrong.
    pub fault: Option<NodeFault>,
    /// The node with the largest local error relative to the limit of its noise.
    pub largest: Option<(String, f64)>,
}

impl Search<'_> {
    /// Checks every node until one is wrong or the time of the search is over. A constant is the result only
    /// if no other node is: many backends keep the end of a slice in fewer bits, which nothing shows.
    pub(super) fn scan(&mut self, team: &mut Team<'_>) -> Result<Scanned, InvestigateError> {
        let mut found = Scanned::default();
        let Team {
            reference,
            backend,
            others,
        } = team;
        let refused = each_node(self.prepared, reference, &mut |node, reference| {
            let mut team = Team {
                reference,
                backend,
                others,
            };
            self.visit(node, &mut found, &mut team)
        })?;
        if let Some((index, judgement)) = refused {
            let (label, operator) = self.label(index);
            self.notes.push(format!(
                "the reference fails on the single node `{label}` ({operator}), and the nodes after it were not checked: {}",
                judgement.reason
            ));
        }
        Ok(found)
    }

    fn visit(
        &mut self,
        mut node: Visited<'_>,
        found: &mut Scanned,
        team: &mut Team<'_>,
    ) -> Result<ControlFlow<()>, InvestigateError> {
        if self.is_late() {
            return Ok(Break(()));
        }
        match self.check_node(&mut node, team)? {
            None => {}
            Some(Ok(fault)) => match (fault.local.is_wrong(), fault.is_constant()) {
                (true, false) => {
                    found.fault = Some(fault);
                    return Ok(Break(()));
                }
                (true, true) => drop(found.fault.get_or_insert(fault)),
                (false, _) => found.take(&fault),
            },
            Some(Err(failure)) => self.notes.push(failure.words),
        }
        Ok(Continue(()))
    }

    /// The local error of a node, or how the backend fails on it; `None` if the node is random.
    pub(super) fn check_node(
        &mut self,
        node: &mut Visited<'_>,
        team: &mut Team<'_>,
    ) -> Result<Option<Result<NodeFault, FailedAlone>>, InvestigateError> {
        if is_random(node.part) {
            return Ok(None);
        }
        let checked = self.check(&node.cut, node.expected, team)?;
        Ok(Some(match checked {
            Ok((local, part)) => Ok(self.fault(node.index, local, part)),
            Err(judgement) => {
                let (label, operator) = self.label(node.index);
                Err(FailedAlone {
                    words: format!(
                        "the backend fails on the single node `{label}` ({operator}): {}",
                        judgement.reason
                    ),
                    judgement,
                })
            }
        }))
    }
}

/// A backend fails on a node alone.
pub(super) struct FailedAlone {
    pub words: String,
    pub judgement: Judgement,
}

impl Scanned {
    /// Records a node that is right. What a less accurate arithmetic explains has no limit of its noise.
    fn take(&mut self, fault: &NodeFault) {
        let of_limit = fault.local.of_limit;
        let is_within = fault.local.standing <= Standing::WithinNoise;
        if is_within && of_limit > self.largest.as_ref().map_or(0.0, |(_, largest)| *largest) {
            self.largest = Some((fault.path.join(" / "), of_limit));
        }
    }
}
