//! The records of a run: the events of the append-only log and their data.
//!
//! All records have a stable JSON form. It is versioned by [`FORMAT`], which the first line of every log
//! states; a change that an older reader would misinterpret increments it.

mod backend;
mod case;
mod catalogue;
mod data_finding;
mod data_set;
mod detail;
mod environment;
mod erratum;
mod event;
mod exercise;
pub(crate) mod float;
mod judgement;
mod latency;
mod latency_gate;
mod level;
mod log;
mod machine;
mod noise;
mod output;
mod place;
mod reading;
mod release;
mod repeat;
mod variant;
mod verdict;

pub use backend::BackendInfo;
pub use case::{CaseId, CaseRecord, accountable_operator};
pub use catalogue::{AttributeDomain, OperatorVersion, TypeParameter};
pub use data_finding::DataFinding;
pub use data_set::{DataSetResult, outputs_of_data_sets};
pub use detail::{CaseDetail, DataSetDetail, NodeDetail, Part, Typed, Values, Window};
pub use environment::Environment;
pub use erratum::Erratum;
pub use event::{Event, PolicyUsed, RunFinished, RunStarted, Shard};
pub use exercise::{CaseExercises, Exercise};
pub use judgement::{Arithmetic, Explanation, Judgement};
pub use latency::{CheckedBy, LatencyRecord, ModelSource, Weights};
pub use latency_gate::{LatencyGate, LatencyVerdict, RatioInterval};
pub use level::Level;
pub use log::{LogContents, LogError, LogLine, RunLog, TruncatedLine};
pub use machine::MachineState;
pub use noise::{Deviation, Fit, Noise, NoiseFloor, Overlap, Scores};
pub use output::{Disagreements, FirstDifference, OutputStats, ulp_bin, ulp_bin_top};
pub use place::Place;
pub use reading::ReadingFollowed;
pub use release::{InvalidRelease, Release};
pub use repeat::Repeat;
pub use variant::{VARIANT_MARK, VariantId, VariantKind, VariantPlan};
pub use verdict::{ErrorStage, MismatchKind, Outcome, Severity, Verdict, VerdictKind};

/// The name of the log in the folder of a run.
pub const LOG: &str = "run.jsonl";
/// The version of the log's format.
pub const FORMAT: u32 = 6;
/// The oldest supported format: format 5 added verdicts and events, and changed none.
pub const OLDEST_FORMAT: u32 = 4;
