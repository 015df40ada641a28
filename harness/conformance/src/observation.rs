//! What a run of a case on a worker shows, before it is judged.

use harness_compare::Comparison;
use harness_worker::Declined;
use reports::record::{DataSetResult, ErrorStage, Place};

use crate::readings::Followed;

/// The result of a case on a worker that did not end.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The result.
    pub event: Event,
    /// Time of the first load, measured in the worker.
    pub load_ns: Option<u64>,
    /// Time of the first run, measured in the worker.
    pub run_ns: Option<u64>,
    /// The devices of the nodes in the first session that ran; `None` if the worker does not report
    /// them.
    pub place: Option<Place>,
    /// The result of each data set that was run, if the case has several.
    pub data_sets: Vec<DataSetResult>,
    /// The peak resident memory of the worker in bytes; `None` if it was not measured.
    pub peak_bytes: Option<u64>,
    /// The answers to open questions that the outputs follow, if they depend on any.
    pub readings: Vec<Followed>,
}

/// The result of a case.
#[derive(Clone, Debug)]
pub enum Event {
    /// All data sets were answered; their comparisons are merged.
    Answered(Comparison),
    /// The backend declined the case.
    Declined {
        /// The stage.
        stage: ErrorStage,
        /// The reason.
        declined: Declined,
    },
    /// A later run with the same inputs gave other outputs.
    Differed {
        /// The output and the number of the run.
        reason: String,
    },
}
