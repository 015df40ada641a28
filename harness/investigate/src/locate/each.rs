//! Judges every node alone on several backends at once, for answers whose outputs say little of single nodes.

use std::ops::ControlFlow::{Break, Continue};
use std::time::Instant;

use backend_api::Named;
use harness_conformance::run::{NodesJudged, NodesVerdict};
use onnx_model::Model;
use run_record::VerdictKind;
use run_record::standing::Standing;

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
            Some(fault) => NodesVerdict::Wrong {
                reason: reason(&fault),
                is_inaccurate: is_inaccurate(&fault),
            },
            None if all && !self.fails => NodesVerdict::Right,
            None => NodesVerdict::Open,
        }
    }

    /// Whether the search goes on: behind an inaccurate node may be a wrong one.
    fn is_open(&self) -> bool {
        self.fault.as_ref().is_none_or(is_inaccurate) && !self.hangs
    }

    /// Keeps the first wrong node, or the first inaccurate one if none is wrong.
    fn take(&mut self, fault: NodeFault) {
        if self.fault.is_none() || !is_inaccurate(&fault) {
            self.fault = Some(fault);
        }
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
                let fault = self.search.inside(fault, &mut team)?;
                self.take(fault);
            }
            Some(Ok(fault)) if fault.local.may_hide => {
                let found = self.search.first_inside(&fault.part, &mut team)?;
                if let Some((place, inner)) = found.filter(|(_, inner)| !inner.is_constant()) {
                    self.take(fault.containing(place, inner));
                }
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

/// Whether a node is less accurate than its type promises, and not wrong.
fn is_inaccurate(fault: &NodeFault) -> bool {
    matches!(fault.local.standing, Standing::LessAccurate(_))
}

/// The node and what is wrong with it.
fn reason(fault: &NodeFault) -> String {
    format!(
        "{}, alone on the inputs of the reference: {}",
        fault.label(),
        fault.local.reason
    )
}
