//! Finds the smallest model that fails in the same way.
//!
//! The failure is first repeated on the file as the user gave it. Every step proposes a smaller model, and a
//! trial checks whether it fails in the [same way](Signature): the reference must answer on it, and the
//! backend must have the same verdict, kind of mismatch and normalised reason. The steps:
//!
//! 1. The first [`Form`](crate::form::Form) in which the complete model fails as the file does; all smaller
//!    models have it.
//! 2. [`locate`](mod@crate::locate) finds a node; if this single node fails in the same way, all others
//!    are removed at once. If not, the node stays in every smaller model, so that the reduction does not
//!    end at another fault.
//! 3. Otherwise `nodes`: delta debugging (A. Zeller, R. Hildebrandt, *Simplifying and Isolating
//!    Failure-Inducing Input*, 2002). Every set of nodes is a model: a name that no node computes
//!    becomes an input with the value that the reference computed.
//! 4. `declarations`, `shapes`, `details`: declared types, extents, outputs, attributes, values.
//!
//! The order of steps and trials is fixed, and no model is tried twice. Several workers may try the next
//! candidates in advance (`ahead`); which candidate is taken depends on their order alone, so that the
//! result is the same for any number of workers.

mod ahead;
mod declarations;
mod details;
mod nodes;
mod shapes;
mod trials;

use std::num::NonZeroUsize;

use backend_api::Named;
use harness_conformance::judge::Judgement;

use crate::InvestigateError;
use crate::cut::{Part, Prepared};
use crate::given::Given;
use crate::locate::{Finding, Team, locate};
use crate::runner::Runner;
use crate::signature::Signature;
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

/// Reduces a model, which must fail on the backend.
///
/// # Errors
/// The backend does not fail, the failure needs the whole file, the reference gives no answer to compare
/// with the answer of the backend, a worker cannot be started again, or the command is interrupted.
pub fn reduce(
    given: &Given<'_>,
    reference: &mut Runner,
    backend: &mut Runner,
    options: Options,
) -> Result<Reduced, InvestigateError> {
    let prepared = Prepared::new(given.model, &given.request.inputs);
    let mut trials = Trials::start(given, &prepared, reference, backend, options)?;
    let original = prepared.complete(trials.form());
    let found = located(given, &mut trials)?;
    let mut best = match found.part {
        Some(part) => part,
        None => nodes::reduce(&prepared, &found.nodes, &mut trials)?.unwrap_or_else(|| original.clone()),
    };
    if best.model.graph.nodes.len() > 1 {
        // A sequence of nodes that `locate` found may have more nodes than the failure needs.
        let smaller = Prepared::new(&best.model, &best.inputs);
        best = nodes::reduce(&smaller, &found.nodes, &mut trials)?.unwrap_or(best);
    }
    best = declarations::reduce(best, &mut trials)?;
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
        nodes: (given.model.graph.nodes.len(), best.model.graph.nodes.len()),
        elements: (sizes(&original), sizes(&best)),
        expected: last.expected,
        judgement: last.judgement,
        signature: trials.signature().clone(),
        trials: trials.count(),
        gave_up: trials.is_exhausted(),
        part: last.part,
    })
}

/// How a backend fails on a file, judged as a reduction judges; `None` if its answer is right.
///
/// # Errors
/// A worker cannot be started again, or the command is interrupted.
pub fn failure(
    given: &Given<'_>,
    reference: &mut Runner,
    backend: &mut Runner,
) -> Result<Option<Judgement>, InvestigateError> {
    let found = trials::failure_of(given.model, &given.request, reference, backend)?;
    Ok(found.map(|(_, judgement)| judgement))
}

/// The result of `locate`.
#[derive(Default)]
struct Located {
    /// The model of the nodes, if it fails in the same way.
    part: Option<Part>,
    /// The names of the nodes at the ends of the fault.
    nodes: Vec<String>,
}

/// The nodes that `locate` finds.
fn located(given: &Given<'_>, trials: &mut Trials<'_>) -> Result<Located, InvestigateError> {
    let (reference, backend) = trials.backends();
    let mut team = Team {
        reference,
        backend,
        others: &mut [],
    };
    let finding = locate(given, crate::locate::Options::default(), &mut team)?.finding;
    let (part, nodes) = match finding {
        Finding::Node(fault) => (Some(fault.part), fault.path.into_iter().take(1).collect()),
        Finding::Fails(fault) => (fault.part, vec![fault.node]),
        Finding::Together { run: Some(run), .. } => {
            let ends = [run.nodes.first(), run.nodes.last()];
            let names = ends.into_iter().flatten().map(|(name, _)| name.clone());
            (Some(run.part), names.collect())
        }
        Finding::Right { .. } | Finding::Together { run: None, .. } | Finding::WholeFile(_) => {
            (None, Vec::new())
        }
    };
    let part = match part {
        Some(part) if trials.fails(&part)? => Some(part),
        _ => None,
    };
    Ok(Located { part, nodes })
}

/// The number of elements of inputs and initializers.
fn sizes(part: &Part) -> usize {
    let values = part.inputs.iter().chain(&part.model.graph.initializers);
    values
        .filter_map(|(_, value)| Some(value.as_tensor()?.len()))
        .sum()
}
