//! Locates faults in function calls and in nodes with bodies.

use super::search::Search;
use super::{NodeFault, Team};
use crate::InvestigateError;
use crate::cut::Prepared;
use crate::inline::open;

/// The maximum depth of the search.
const MAX_DEPTH: usize = 8;

impl Search<'_> {
    /// The innermost location of the fault: the first node of the function or body that is wrong.
    /// The node itself if it has no inner graph, or if every inner node is right.
    pub(super) fn inside(
        &mut self,
        fault: NodeFault,
        team: &mut Team<'_>,
    ) -> Result<NodeFault, InvestigateError> {
        let mut fault = fault;
        while fault.path.len() < MAX_DEPTH {
            let mut deeper = None;
            for opened in open(&fault.part, team.reference)? {
                let prepared = Prepared::new(&opened.part.model, &opened.part.inputs);
                let mut search = Search::new(&prepared, self.form);
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
                others: Vec::new(),
            };
        }
        Ok(fault)
    }
}
