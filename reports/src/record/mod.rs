//! What a run leaves behind: the events of the append-only log and the records that they carry.
//!
//! Everything here is data with a stable JSON form. The form is versioned by [`FORMAT`], which the first line of
//! every log states; a change that an older reader would misunderstand raises it.

mod backend;
mod case;
mod catalogue;
mod data_finding;
mod environment;
mod erratum;
mod event;
mod exercise;
pub(crate) mod float;
mod latency;
mod level;
mod log;
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
pub use environment::Environment;
pub use erratum::Erratum;
pub use event::{Event, PolicyUsed, RunFinished, RunStarted, Shard};
pub use exercise::{CaseExercises, Exercise};
pub use latency::{LatencyRecord, Weights};
pub use level::Level;
pub use log::{LogContents, LogError, RunLog, TornLine};
pub use noise::{Deviation, Fit, Noise, NoiseFloor, Overlap, Scores};
pub use output::{Disagreements, FirstDifference, OutputStats, ulp_bin, ulp_bin_top};
pub use place::Place;
pub use reading::ReadingFollowed;
pub use release::{InvalidRelease, Release};
pub use repeat::Repeat;
pub use variant::{VARIANT_MARK, VariantId, VariantKind, VariantPlan};
pub use verdict::{ErrorStage, MismatchKind, Outcome, Verdict, VerdictKind};

/// Version of the log's and of `summary.json`'s format.
pub const FORMAT: u32 = 4;
