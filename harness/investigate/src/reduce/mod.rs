//! Finds the smallest model that fails in the same way.
//!
//! Every step proposes a smaller model, and a trial checks whether it fails in the [same
//! way](Signature): the reference must answer on it, and the backend must have the same verdict, kind of
//! mismatch and normalised reason. The steps:
//!
//! 1. [`locate`](mod@crate::locate) finds a node; if this single node fails in the same way, all others
//!    are removed at once.
//! 2. Otherwise `nodes`: delta debugging (A. Zeller, R. Hildebrandt, *Simplifying and Isolating
//!    Failure-Inducing Input*, 2002). Every set of nodes is a model: a name that no node computes
//!    becomes an input with the value that the reference computed.
//! 3. `shapes`, `details`: extents, outputs, attributes, values.
//!
//! The order of steps and trials is fixed, and no model is tried twice. Several workers may try the next
//! candidates in advance (`ahead`); which candidate is taken depends on their order alone, so that the
//! result is the same for any number of workers.

mod ahead;
mod details;
mod nodes;
mod shapes;
mod signature;
mod trials;

use std::num::NonZeroUsize;

use backend_api::Named;
use harness_conformance::judge::Judgement;
use onnx_model::Model;

pub use signature::Signature;

use crate::InvestigateError;
use crate::cut::{Part, Prepared};
use crate::locate::{Finding, Team, complete_model, locate};
use crate::runner::Runner;
use trials::Trials;

/// The limits of a reduction.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The maximum number of models that are tried.
    pub trials: usize,
    /// The number of models that are tried at the same time, each by a worker of the reference and one of
    /// the backend.
    pub jobs: NonZeroUsize,
}

/// A reduced model.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The model with its inputs.
    pub part: Part,
    /// The outputs of the reference; `None` if it does not answer on the original model either.
    pub expected: Option<Vec<Named>>,
    /// The failure of the backend.
    pub judgement: Judgement,
    /// The common signature of the failures on the original and on this model.
    pub signature: Signature,
    /// Numbers of nodes before and after.
    pub nodes: (usize, usize),
    /// Numbers of elements of inputs and initializers before and after.
    pub elements: (usize, usize),
    /// The number of models that were tried.
    pub trials: usize,
    /// Whether the limit of trials ended the reduction.
    pub gave_up: bool,
}

/// Reduces `model`, which must fail on the backend.
///
/// # Errors
/// The backend does not fail, the reference gives no answer to compare with the answer of the backend, a
/// worker cannot be started again, or the command is interrupted.
pub fn reduce(
    model: &Model,
    inputs: &[Named],
    reference: &mut Runner,
    backend: &mut Runner,
    options: Options,
) -> Result<Reduced, InvestigateError> {
    let prepared = Prepared::new(model, inputs);
    let original = complete_model(&prepared);
    let mut trials = Trials::start(&original, reference, backend, options)?;
    let mut best = original.clone();
    if let Some(located) = located(model, inputs, &mut trials)? {
        best = located;
    }
    if best.model.graph.nodes.len() > 1 {
        best = nodes::reduce(best, &mut trials)?;
    }
    loop {
        let size = sizes(&best);
        best = shapes::reduce(best, &mut trials)?;
        best = details::reduce(best, &mut trials)?;
        if sizes(&best) == size {
            break;
        }
    }
    let last = trials.last(&best)?;
    Ok(Reduced {
        nodes: (original.model.graph.nodes.len(), best.model.graph.nodes.len()),
        elements: (sizes(&original), sizes(&best)),
        expected: last.expected,
        judgement: last.judgement,
        signature: trials.signature().clone(),
        trials: trials.count(),
        gave_up: trials.is_exhausted(),
        part: best,
    })
}

/// The node that `locate` finds as a model, if it fails in the same way.
fn located(
    model: &Model,
    inputs: &[Named],
    trials: &mut Trials<'_>,
) -> Result<Option<Part>, InvestigateError> {
    let (reference, backend) = trials.backends();
    let mut team = Team {
        reference,
        backend,
        others: &mut [],
    };
    let part = match locate(model, inputs, crate::locate::Options::default(), &mut team)?.finding {
        Finding::Node(fault) => Some(fault.part),
        Finding::Fails(fault) => fault.part,
        Finding::Together { run, .. } => run.map(|run| run.part),
        Finding::Agrees | Finding::Rounding { .. } => None,
    };
    match part {
        Some(part) if trials.fails(&part)? => Ok(Some(part)),
        _ => Ok(None),
    }
}

/// The number of elements of inputs and initializers.
fn sizes(part: &Part) -> usize {
    let values = part.inputs.iter().chain(&part.model.graph.initializers);
    values
        .filter_map(|(_, value)| Some(value.as_tensor()?.len()))
        .sum()
}
