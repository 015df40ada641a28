//! The evidence about the answers of a run.

use std::time::Duration;

use harness_worker::{Cancel, StartError, WorkerSpec};
use run_record::Arithmetic;

use super::NodePlan;
use crate::case::Case;
use crate::referee::{Effort, Referee, rounding};

/// The suite whose cases are about one operator, however many nodes they have: there the bound is sufficient.
const OPERATORS: &str = "node";

/// How answers are judged by the reference's own runs.
#[derive(Clone, Debug)]
pub struct NoisePlan {
    pub reference: WorkerSpec,
    /// How many runs an answer may cost.
    pub effort: Effort,
    /// Which answers lead to a judgement of single nodes; without it, none does.
    pub nodes: Option<NodePlan>,
}

impl NoisePlan {
    /// The reference with random rounding.
    pub(super) fn noisy(&self) -> WorkerSpec {
        let mut spec = self.reference.clone();
        let options = rounding(Arithmetic::Rounded, self.effort.seed);
        spec.options
            .extend(options.map(|(name, value)| (name.to_owned(), value)));
        spec
    }

    /// Starts the reference; each load and run may take `timeout`.
    pub(super) fn start(&self, timeout: Duration, cancel: &Cancel) -> Result<Referee, StartError> {
        Referee::start(self.reference.clone(), self.effort, cancel.clone(), timeout)
    }
}

/// Whether answers to a case are judged by the reference's own runs: not those to the official cases of one
/// operator, and random outputs are judged by their distribution.
pub(super) fn is_judged(case: &Case) -> bool {
    case.id.suite() != OPERATORS && case.data_sets.iter().all(|set| set.draws.is_none())
}
