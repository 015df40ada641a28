//! Measures the local error of every node, in order.

use run_record::standing::Standing;

use super::ask::Cut;
use super::search::Search;
use super::{NodeFault, Team};
use crate::InvestigateError;
use crate::cut::Values;
use crate::trial::{is_random, refer};

/// The result of a scan.
#[derive(Default)]
pub(super) struct Scanned {
    /// The first node that is wrong.
    pub fault: Option<NodeFault>,
    /// The node with the largest local error relative to the limit of its noise.
    pub largest: Option<(String, f64)>,
}

impl Search<'_> {
    /// Checks every node until one is wrong. A constant is the result only if no other node is: many backends
    /// keep the end of a slice in fewer bits, which nothing shows.
    pub(super) fn scan(&mut self, team: &mut Team<'_>) -> Result<Scanned, InvestigateError> {
        let last = self.prepared.last_uses();
        let (mut values, mut found) = (Values::new(), Scanned::default());
        for index in 0..self.prepared.len() {
            let outputs = self.prepared.wanted(index);
            let cut = Cut {
                nodes: &[index],
                outputs: &outputs,
                live: &values,
            };
            let part = self.plain(&cut);
            let mut reference = match refer(team.reference, &part)? {
                Ok(reference) => reference,
                Err(judgement) => {
                    let (label, operator) = self.label(index);
                    self.notes.push(format!(
                        "the reference fails on the single node `{label}` ({operator}), and the nodes after it were not checked: {}",
                        judgement.reason
                    ));
                    return Ok(found);
                }
            };
            if !is_random(&part) {
                match self.check(&cut, &mut reference, team)? {
                    Ok((local, part)) => {
                        let fault = self.fault(index, local, part);
                        match (fault.local.is_wrong(), fault.is_constant()) {
                            (true, false) => {
                                found.fault = Some(fault);
                                return Ok(found);
                            }
                            (true, true) => drop(found.fault.get_or_insert(fault)),
                            (false, _) => found.take(&fault),
                        }
                    }
                    Err(judgement) => {
                        let (label, operator) = self.label(index);
                        self.notes.push(format!(
                            "the backend fails on the single node `{label}` ({operator}): {}",
                            judgement.reason
                        ));
                    }
                }
            }
            values.extend(reference.values);
            values.retain(|name, _| last.get(name).is_some_and(|last| *last > index));
        }
        Ok(found)
    }
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
