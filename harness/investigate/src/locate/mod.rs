//! Locates the fault of a backend: the first node whose output is wrong on the inputs of the reference.
//!
//! The failure is first repeated on the file as the user gave it. A backend runs only models, so every
//! further probe is a model of its own, in the [`Form`] in which the complete model still fails as the
//! file does; where no form does, the failure needs the whole file, and `property` finds what it depends
//! on. There are two kinds of error. The *propagated* error of a value is that of a backend that ran all
//! nodes before it; the *local* error of a node is that of a backend that ran this single node, with the
//! inputs that the reference computed. The search:
//!
//! 1. `bisect`: bisects the topological order by the propagated error at a cut, down to one node. The
//!    reference computes the values at a cut from those at the cut before it, so that all cuts together
//!    cost about two runs, and only the values that are live at two cuts are stored.
//! 2. The judge of `compare` decides on the local error of that node. If it is wrong, the node is the
//!    result.
//! 3. Otherwise `scan`: the local error of every node in order. It stores only the values that are live
//!    at one cut.
//! 4. If no single node is wrong, `together` searches for adjacent nodes that are wrong as a
//!    sequence: a backend fuses them.
//!
//! Where the outputs are not wrong and say little of single nodes, the scan decides as well; `each` does it
//! for several backends at once. `growth` measures the propagated error at evenly spaced cuts for a chart.
//! `inside` searches the inner nodes of a function call or of a node with bodies. If a backend gives no
//! answer, `failing` finds the node at which it starts to fail.

mod ask;
mod bisect;
mod each;
mod failing;
mod finding;
mod growth;
mod inside;
mod scan;
mod search;
mod together;
pub(crate) mod walk;

use std::time::Instant;

use backend_api::Named;

pub use each::each_alone;
pub use finding::{
    FailingNode, Finding, Growth, Local, Location, NodeFault, NodeRun, OtherResults, WholeFile,
};

use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values, bare};
use crate::form::Form;
use crate::given::Given;
use crate::runner::Runner;
use crate::trial::request;
use search::Search;

/// The deviation of the outputs from which on the search bisects; with a smaller one it could follow
/// rounding errors.
const MIN_BISECTED: f64 = 1e-4;

/// The backends of a search.
pub struct Team<'r> {
    /// The reference, which computes the expected outputs.
    pub reference: &'r mut Runner,
    /// The backend under investigation.
    pub backend: &'r mut Runner,
    /// Other backends, which run the located node.
    pub others: &'r mut [Runner],
}

/// The extent of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Check every node, whatever the outputs of the model are.
    pub scan: bool,
    /// The number of evenly spaced cuts at which the propagated error is measured for a chart, in addition
    /// to those of the search.
    pub growth: usize,
    /// When the search ends, whatever is left.
    pub until: Option<Instant>,
}

/// Finds the first node of a model that is wrong on the backend.
///
/// # Errors
/// The reference does not answer although the backend does, a worker cannot be started again, or the
/// command is interrupted.
pub fn locate(
    given: &Given<'_>,
    options: Options,
    team: &mut Team<'_>,
) -> Result<Location, InvestigateError> {
    let prepared = Prepared::new(given.model, &given.request.inputs);
    let mut search = Search {
        until: options.until,
        ..Search::new(&prepared, Form::BARE)
    };
    let (outputs, finding) = search.run(given, options.scan, team)?;
    if let Some(outputs) = outputs {
        search.sample_growth(options.growth, team)?;
        if !search.growth.is_empty() {
            search.end_of_growth(outputs);
        }
    }
    search.growth.sort_by_key(|growth| growth.index);
    Ok(Location {
        outputs,
        is_late: search.is_late(),
        difference: search.difference,
        finding,
        growth: search.growth,
        notes: search.notes,
        probes: search.probes,
    })
}

/// Values by name: live values and values of inputs.
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
    let answer = reference.run(&request(&bare(part)))?;
    Ok(answer.map(|outputs| outputs.values))
}
