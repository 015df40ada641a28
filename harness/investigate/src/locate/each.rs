//! Judges every node alone on several backends at once, for answers whose outputs say little of single nodes.

use std::ops::ControlFlow::{Break, Continue};
use std::time::Instant;

use backend_api::Named;
use onnx_model::Model;
use run_record::VerdictKind;

use super::search::Search;
use super::walk::{Visited, each_node};
use super::{NodeFault, Team};
use crate::InvestigateError;
use crate::cut::Prepared;
use crate::form::Form;
use crate::runner::Runner;

/// What single nodes say of several backends.
#[derive(Debug)]
pub struct EachAlone {
    /// What the nodes say of each backend.
    pub found: Vec<Alone>,
    /// The number of nodes that were judged on some backend.
    pub judged: usize,
    /// The number of nodes.
    pub nodes: usize,
    /// Why the others were not; `None` if every node was, or each backend has a wrong one.
    pub left: Option<String>,
}

/// What single nodes say of a backend.
#[derive(Debug)]
pub enum Alone {
    /// Every node that was judged is right.
    Right,
    /// The first wrong node.
    Wrong(Box<NodeFault>),
    /// It gives no answer on some node alone.
    Fails,
}

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
) -> Result<EachAlone, InvestigateError> {
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
    Ok(EachAlone {
        found: suspects.into_iter().map(Suspect::end).collect(),
        judged,
        nodes: prepared.len(),
        left: refused.or(late),
    })
}

impl Suspect<'_, '_> {
    fn end(self) -> Alone {
        match self.fault {
            Some(fault) => Alone::Wrong(Box::new(fault)),
            None if self.fails => Alone::Fails,
            None => Alone::Right,
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
