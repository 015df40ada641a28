//! What happens in a run, as the log holds it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    BackendInfo, CaseDetail, CaseExercises, CaseRecord, DataFinding, Environment, LatencyGate, LatencyRecord,
    MachineState, OperatorVersion, ReadingFollowed, Repeat, VariantPlan,
};

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The run began, or was taken up again after an interruption.
    RunStarted(Box<RunStarted>),
    /// A backend's worker answered its handshake.
    BackendStarted(BackendInfo),
    /// A case was judged on a backend. A later record for the same pair replaces an earlier one.
    CaseFinished(Box<CaseRecord>),
    /// The reference disagrees with what a case stores. A later record for the same data set replaces an earlier one.
    ReferenceDisagrees(DataFinding),
    /// A case depends on an open question of the specification, and a backend answered it. A later record for the same case, backend
    /// and question replaces an earlier one.
    ReadingFollowed(ReadingFollowed),
    /// What variants of one kind the run has. A later record for the same kind replaces an earlier one.
    VariantsMade(VariantPlan),
    /// A case was decoded: what it exercises. A later record for the same case replaces an earlier one.
    CaseExercises(CaseExercises),
    /// The model and the inputs of a case that does not pass on some backend. A later record for the same case replaces an earlier
    /// one.
    CaseDetail(Box<CaseDetail>),
    /// The operator versions that the cases are meant to cover. A later catalogue replaces an earlier one.
    Catalogue {
        /// Sorted by domain, name and since.
        versions: Vec<OperatorVersion>,
    },
    /// A latency was measured. A later record for the same series replaces an earlier one.
    Latency(Box<LatencyRecord>),
    /// It was decided whether a backend became slower. A later decision on the same series replaces an earlier one.
    LatencyGate(Box<LatencyGate>),
    /// How quiet the machine was while latencies were measured. A later record replaces an earlier one.
    Machine(Box<MachineState>),
    /// A phase of the run ended. The same name again adds to it.
    PhaseFinished {
        /// What was done: `corpus`, `reference`, `backends`.
        name: String,
        /// How long it took, in seconds.
        wall_s: f64,
    },
    /// A backend has no more to do. The same name again adds to its time.
    BackendFinished {
        /// The backend's display name.
        backend: String,
        /// How long it took, in seconds.
        wall_s: f64,
    },
    /// The run ended in an orderly way.
    RunFinished(RunFinished),
}

/// What is known when a run begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStarted {
    /// When, in UTC, as RFC 3339 writes it.
    pub started: String,
    /// The ONNX release whose tests are run: `1.22.0`; empty where the cases come from elsewhere.
    pub release: String,
    /// Cases selected for each backend.
    pub cases: u64,
    /// The command line, program first.
    pub command: Vec<String>,
    /// Where it runs.
    pub environment: Environment,
    /// By which policy it judges.
    pub policy: PolicyUsed,
    /// What results depend on, part by part: `cases`, `policy`, `backend ort`. Only a run with the same values may take this
    /// one up again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fingerprint: BTreeMap<String, String>,
    /// Which part of the selected cases it runs; none in a run of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Backends that were asked for and take no part, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, String>,
    /// The arguments that repeat one of its results.
    #[serde(default)]
    pub repeat: Repeat,
}

/// One of several runs that share the selected cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Its number, from 1 on.
    pub index: u32,
    /// The number of shards.
    pub count: u32,
    /// Cases that are selected in all shards together.
    pub selected: u64,
}

/// By which policy results are judged; empty in a run that judges nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyUsed {
    /// Its name: `official`.
    pub name: String,
    /// The version of the file of tolerances that it stands in.
    pub version: u32,
}

/// What is known when a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunFinished {
    /// How long it took since the last [`RunStarted`], in seconds.
    pub wall_s: f64,
    /// Whether every selected case had its turn.
    pub complete: bool,
}
