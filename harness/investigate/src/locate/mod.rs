//! Where a backend goes wrong: the first node whose output leaves its bound.
//!
//! A backend can only run models, so every probe is a model. There are two kinds of error. The *propagated* error of a value is
//! that of a backend that ran all nodes before it; the *local* error of a node is that of a backend that ran this node alone,
//! on the inputs that the reference computed. The search:
//!
//! 1. `bisect`: halves the topological order by the propagated error at a cut, down to one node. The reference computes the
//!    values at a cut from those at the cut before it, so that all cuts together cost about two runs, and no more values are kept
//!    than live at two cuts.
//! 2. The local error of that node is held against its bound. If the node leaves it, it is found.
//! 3. Else `scan`: the local error of every node in order. It keeps the values that live at one place.
//! 4. If no node leaves its bound alone, `together` looks for neighbouring nodes that are wrong together: a backend fuses them. Where
//!    there are none, rounding adds up.
//!
//! Of a call of a function and of a node with bodies, `inside` looks at the nodes in it. Where a backend gives no answer at
//! all, `failing` finds the node with which it begins to fail.

mod bisect;
mod failing;
mod finding;
mod inside;
mod scan;
mod search;
mod together;

use backend_api::Named;
use onnx_model::Model;

pub use finding::{Blame, FailingNode, Finding, Growth, Local, Location, NodeFault, NodeRun};

use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values};
use crate::deviation::deviation;
use crate::runner::Runner;
use crate::trial::question;
use search::Search;

/// From this deviation of the outputs on the search halves; below, it could follow rounding.
const HALVED_FROM: f64 = 1e-4;

/// The backends of a search.
pub struct Team<'r> {
    /// Says what is right.
    pub reference: &'r mut Runner,
    /// The backend in question.
    pub backend: &'r mut Runner,
    /// Backends that are asked about the node that was found.
    pub others: &'r mut [Runner],
}

/// Finds the first node of `model` that is wrong on the backend.
///
/// With `scan`, every node is looked at, whatever the outputs of the model are.
///
/// # Errors
/// No answer of the reference where the backend has one, a worker that cannot be started again, an interruption.
pub fn locate(
    model: &Model,
    inputs: &[Named],
    scan: bool,
    team: &mut Team<'_>,
) -> Result<Location, InvestigateError> {
    let prepared = Prepared::new(model, inputs);
    let whole = whole(&prepared);
    let expected = refer_plain(team.reference, &whole)?;
    let observed = team.backend.run(&question(&whole))?;
    let mut search = Search {
        prepared: &prepared,
        growth: Vec::new(),
        notes: Vec::new(),
        probes: 1,
    };
    let (outputs, finding) = match (expected, observed) {
        (_, Err(judgement)) => (None, search.failing(judgement, team)?),
        (Err(judgement), Ok(_)) => {
            return Err(InvestigateError::NoReference {
                reason: judgement.reason,
                purpose: "located",
            });
        }
        (Ok(expected), Ok(observed)) => {
            let apart = deviation(&expected, &observed.values);
            let finding = match apart > 0.0 || scan {
                false => Finding::Agrees,
                true => search.wrong(apart, scan, team)?,
            };
            (Some(apart), finding)
        }
    };
    search.growth.sort_by_key(|growth| growth.index);
    Ok(Location {
        outputs,
        finding,
        growth: search.growth,
        notes: search.notes,
        probes: search.probes,
    })
}

/// The whole model as a part.
pub(crate) fn whole(prepared: &Prepared) -> Part {
    let outputs: Vec<String> = prepared
        .model
        .graph
        .outputs
        .iter()
        .map(|info| info.name.clone())
        .collect();
    let all: Vec<usize> = (0..prepared.len()).collect();
    prepared.cut(&all, &outputs, &known(&prepared.inputs, &Values::new()))
}

/// Values by name: those that live, else those that are fed.
pub(crate) fn known<'v>(
    inputs: &'v [Named],
    live: &'v Values,
) -> impl Fn(&str) -> Option<onnx_tensor::Value> + 'v {
    move |name: &str| {
        let fed = || {
            inputs
                .iter()
                .find(|(input, _)| input == name)
                .map(|(_, value)| value)
        };
        live.get(name).or_else(fed).cloned()
    }
}

/// The outputs of the reference without their bounds, which cost more than the run.
pub(crate) fn refer_plain(
    reference: &mut Runner,
    part: &Part,
) -> Result<crate::runner::Answer<Vec<Named>>, InvestigateError> {
    Ok(reference.run(&question(part))?.map(|outputs| outputs.values))
}
