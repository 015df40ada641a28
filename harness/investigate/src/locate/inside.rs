//! Faults inside of function calls and of nodes with bodies.

use super::search::Search;
use super::{NodeFault, Team};
use crate::InvestigateError;
use crate::cut::Prepared;
use crate::inline::open;

/// How deep a fault is followed.
const DEEPEST: usize = 8;

impl Search<'_> {
    /// The fault as far inside as it can be followed: the first node of the function or body that leaves its bound. The node itself
    /// where it has no inside, or every node in it is right.
    pub(super) fn inside(
        &mut self,
        fault: NodeFault,
        team: &mut Team<'_>,
    ) -> Result<NodeFault, InvestigateError> {
        let mut fault = fault;
        while fault.path.len() < DEEPEST {
            let mut deeper = None;
            for opened in open(&fault.part, team.reference)? {
                let prepared = Prepared::new(&opened.part.model, &opened.part.inputs);
                let mut search = Search {
                    prepared: &prepared,
                    growth: Vec::new(),
                    notes: Vec::new(),
                    probes: 0,
                };
                let scanned = search.scan(team)?;
                self.probes += search.probes;
                if let Some(inner) = scanned.fault {
                    deeper = Some((opened.place, inner));
                    break;
                }
            }
            let Some((place, inner)) = deeper else { break };
            let mut path = fault.path;
            path.push(place);
            path.extend(inner.path);
            fault = NodeFault {
                index: fault.index,
                path,
                operator: inner.operator,
                local: inner.local,
                part: inner.part,
                blame: Vec::new(),
            };
        }
        Ok(fault)
    }
}
