//! Locates faults in function calls and in nodes with bodies.

use super::search::Search;
use super::{NodeFault, Team};
use crate::InvestigateError;
use crate::cut::{Part, Prepared};
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
            let Some((place, inner)) = self.first_inside(&fault.part, team)? else {
                break;
            };
            fault = fault.containing(place, inner);
        }
        Ok(fault)
    }

    /// The first node that is wrong in a function or body of the only node of `part`, and which function or
    /// body that is.
    pub(super) fn first_inside(
        &mut self,
        part: &Part,
        team: &mut Team<'_>,
    ) -> Result<Option<(String, NodeFault)>, InvestigateError> {
        for opened in open(part, team.reference)? {
            let prepared = Prepared::new(&opened.part.model, &opened.part.inputs);
            let mut search = Search::new(&prepared, self.form);
            search.until = self.until;
            let scanned = search.scan(team)?;
            self.probes += search.probes;
            if let Some(inner) = scanned.fault {
                return Ok(Some((opened.place, inner)));
            }
        }
        Ok(None)
    }
}

impl NodeFault {
    /// The fault of an inner node of this one.
    pub(super) fn containing(self, place: String, inner: NodeFault) -> NodeFault {
        let mut path = self.path;
        path.push(place);
        path.extend(inner.path);
        NodeFault {
            index: self.index,
            path,
            operator: inner.operator,
            local: inner.local,
            part: inner.part,
            others: Vec::new(),
        }
    }
}
