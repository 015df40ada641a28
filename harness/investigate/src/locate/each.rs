//! Judges every node alone on several backends at once, for answers whose outputs say little of single nodes.

use std::ops::ControlFlow::{Break, Continue};
use std::time::Instant;

use backend_api::Named;
use harness_conformance::run::{NodesJudged, NodesVerdict};
use onnx_model::Model;
use run_record::VerdictKind;

use super::search::Search;
use super::walk::{Visited, each_node};
use super::{NodeFault, Team};
use crate::InvestigateError;
use crate::cut::Prepared;
use crate::form::Form;
use crate::runner::Runner;

/// The search of a backend.
struct Suspect<'p, 'r> {
    search: Search<'p>,
    backend: &'r mut Runner,
    fault: Option<NodeFault>,
    /// Whether it gives no answer on some node.
    fails: bool,
    /// Whether it hangs on a node: no more are tried.
    hangs: bool,
}

/// Runs each node alone on every backend, with the inputs that the reference computed, until a node is wrong
/// on each, or until a point in time. A node that says little of its function or bodies is searched inside.
///
/// # Errors
/// A worker cannot be started again, or the command is interrupted.
pub fn each_alone(
    model: &Model,
    inputs: &[Named],
    reference: &mut Runner,
    backends: &mut [Runner],
    until: Instant,
) -> Result<NodesJudged, InvestigateError> {
    let prepared = Prepared::new(model, inputs);
    let suspects = backends.iter_mut().map(|backend| Suspect {
        search: Search {
            until: Some(until),
            ..Search::new(&prepared, Form::BARE)
        },
        backend,
        fault: None,
        fails: false,
        hangs: false,
    });
    let mut suspects: Vec<Suspect<'_, '_>> = suspects.collect();
    let (mut judged, mut late) = (0, false);
    let refused = each_node(&prepared, reference, &mut |mut node, reference| {
        late = Instant::now() > until;
        if late {
            return Ok(Break(()));
        }
        judged += 1;
        let mut open = false;
        for suspect in suspects.iter_mut().filter(|suspect| suspect.is_open()) {
            suspect.visit(&mut node, reference)?;
            open |= suspect.is_open();
        }
        Ok(if open { Continue(()) } else { Break(()) })
    })?;
    let refused =
        refused.map(|(_, judgement)| format!("the reference fails on the next: {}", judgement.reason));
    let late = late.then(|| "the time is over; `locate --scan` judges all of them".to_owned());
    let left = refused.or(late);
    let verdicts = suspects.into_iter().map(|suspect| suspect.end(left.is_none()));
    Ok(NodesJudged {
        verdicts: verdicts.collect(),
        judged,
        nodes: prepared.len(),
        left,
    })
}

impl Suspect<'_, '_> {
    /// The verdict; `all`: whether every node was judged.
    fn end(self, all: bool) -> NodesVerdict {
        match self.fault {
            Some(fault) => NodesVerdict::Wrong(hidden(&fault)),
            None if all && !self.fails => NodesVerdict::Right,
            None => NodesVerdict::Open,
        }
    }

    fn is_open(&self) -> bool {
        self.fault.is_none() && !self.hangs
    }

    fn visit(&mut self, node: &mut Visited<'_>, reference: &mut Runner) -> Result<(), InvestigateError> {
        let mut team = Team {
            reference,
            backend: self.backend,
            others: &mut [],
        };
        match self.search.check_node(node, &mut team)? {
            // A wrong constant shows in the nodes that read it.
            Some(Ok(fault)) if fault.is_constant() => {}
            Some(Ok(fault)) if fault.local.is_wrong() => {
                self.fault = Some(self.search.inside(fault, &mut team)?);
            }
            Some(Ok(fault)) if fault.local.may_hide => {
                let inner = self.search.first_inside(&fault.part, &mut team)?;
                self.fault = inner.map(|(place, inner)| fault.containing(place, inner));
            }
            Some(Err(failure)) => {
                self.fails = true;
                self.hangs = failure.judgement.verdict.kind() == VerdictKind::Timeout;
            }
            Some(Ok(_)) | None => {}
        }
        Ok(())
    }
}

/// The reason of a verdict.
fn hidden(fault: &NodeFault) -> String {
    format!(
        "the outputs hide a wrong node: {}, alone on the inputs of the reference: {}",
        fault.label(),
        fault.local.reason
    )
}
