//! Where the nodes of a model ran, as reported by the worker.

use std::collections::BTreeMap;
use std::time::Instant;

use backend_api::Placement;
use run_record::Place;

use crate::{Worker, WorkerExit};

/// The maximum number of named nodes that ran elsewhere.
const MAX_NAMED: usize = 5;

/// The placement of the nodes of a session. A backend that names no provider cannot fall back and is not
/// asked. `None` if the backend cannot tell or has no nodes left after optimisation.
pub fn place(worker: &mut Worker, session: u64, deadline: Instant) -> Result<Option<Place>, WorkerExit> {
    let requested = worker.description().provider.clone();
    if requested.is_empty() {
        return Ok(None);
    }
    let placement = worker.placement(session, deadline)?.unwrap_or_default();
    Ok((!placement.is_empty()).then(|| summary(requested, &placement)))
}

fn summary(requested: String, placement: &[Placement]) -> Place {
    let mut nodes: BTreeMap<String, u64> = BTreeMap::new();
    for placed in placement {
        *nodes.entry(placed.provider.clone()).or_default() += 1;
    }
    let elsewhere = placement.iter().filter(|placed| placed.provider != requested);
    let describe = |placed: &Placement| match placed.operator.as_deref() {
        Some(operator) => format!("{} ({operator}) on {}", placed.node, placed.provider),
        None => format!("{} on {}", placed.node, placed.provider),
    };
    Place {
        elsewhere: elsewhere.take(MAX_NAMED).map(describe).collect(),
        requested,
        nodes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_elsewhere_are_counted_and_the_first_are_named() {
        let placed = |node: usize, provider: &str| Placement {
            node: format!("n{node}"),
            operator: node.is_multiple_of(2).then(|| "Abs".to_owned()),
            provider: provider.to_owned(),
        };
        let mut placement: Vec<Placement> = (0..8).map(|node| placed(node, "cpu")).collect();
        placement.push(placed(8, "gpu"));
        let place = summary("gpu".to_owned(), &placement);
        assert!(place.fell_back());
        assert_eq!(place.words(), "8 cpu, 1 gpu");
        assert_eq!(place.elsewhere[..2], ["n0 (Abs) on cpu", "n1 on cpu"]);
        assert_eq!(place.elsewhere.len(), MAX_NAMED);
        assert!(!summary("cpu".to_owned(), &placement[..8]).fell_back());
    }
}
