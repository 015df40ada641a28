//! The local error of every node, in order.

use std::collections::HashMap;

use super::search::Search;
use super::{NodeFault, Team};
use crate::InvestigateError;
use crate::cut::Values;
use crate::trial::{check, is_random, refer};

/// What a scan found.
#[derive(Default)]
pub(super) struct Scanned {
    /// The first node that is outside of its bound and of the official tolerance; else of those that only leave their bound the
    /// one that leaves it farthest.
    pub fault: Option<NodeFault>,
    /// The node with the largest local error as a part of its bound.
    pub largest: Option<(String, f64)>,
}

impl Search<'_> {
    /// Looks at every node until one is outside.
    pub(super) fn scan(&mut self, team: &mut Team<'_>) -> Result<Scanned, InvestigateError> {
        let last = self.last_uses();
        let (mut values, mut found) = (Values::new(), Scanned::default());
        for index in 0..self.prepared.len() {
            let part = self.part(index, &values);
            let reference = match refer(team.reference, &part)? {
                Ok(reference) => reference,
                Err(judgement) => {
                    let (label, operator) = self.label(index);
                    self.notes.push(format!(
                        "the reference fails on `{label}` ({operator}) alone, and nodes behind it were not looked at: {}",
                        judgement.reason
                    ));
                    return Ok(found);
                }
            };
            if !is_random(&part) {
                self.probes += 1;
                match check(team.backend, &part, &reference)? {
                    Ok(local) => {
                        let fault = self.fault(index, local, part);
                        if fault.local.is_outside {
                            found.fault = Some(fault);
                            return Ok(found);
                        }
                        found.take(fault);
                    }
                    Err(judgement) => {
                        let (label, operator) = self.label(index);
                        self.notes.push(format!(
                            "the backend fails on `{label}` ({operator}) alone: {}",
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

    /// For each value the last node that reads it.
    fn last_uses(&self) -> HashMap<String, usize> {
        let mut last = HashMap::new();
        for index in 0..self.prepared.len() {
            last.extend(
                self.prepared
                    .reads(index)
                    .iter()
                    .map(|name| (name.clone(), index)),
            );
        }
        last
    }
}

impl Scanned {
    /// Takes in a node that is not outside.
    fn take(&mut self, fault: NodeFault) {
        let of_bound = fault.local.of_bound;
        let label = fault.path.join(" / ");
        if of_bound > self.largest.as_ref().map_or(0.0, |(_, largest)| *largest) {
            self.largest = Some((label, of_bound));
        }
        let farther = |known: &NodeFault| fault.local.of_bound > known.local.of_bound;
        if fault.local.leaves_bound && self.fault.as_ref().is_none_or(farther) {
            self.fault = Some(fault);
        }
    }
}
