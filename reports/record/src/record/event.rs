//! The events of a run in the log.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Serialize};

use super::{
    BackendInfo, CaseDetail, CaseExercises, CaseRecord, DataFinding, Environment, LatencyGate, LatencyRecord,
    MachineState, OperatorVersion, ReadingFollowed, Repeat, VariantPlan,
};

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The run was started or resumed.
    RunStarted(Box<RunStarted>),
    /// A backend's worker answered its handshake.
    BackendStarted(BackendInfo),
    /// The result of a case on a backend. A later record for the same pair replaces an earlier one.
    CaseFinished(Box<CaseRecord>),
    /// The reference disagrees with the data of a case. A later record for the same data set replaces an
    /// earlier one.
    ReferenceDisagrees(DataFinding),
    /// A case depends on an open question of the specification, and a backend answered it. A later
    /// record for the same case, backend and question replaces an earlier one.
    ReadingFollowed(ReadingFollowed),
    /// The variants of one kind in the run. A later record for the same kind replaces an earlier one.
    VariantsMade(VariantPlan),
    /// What a case exercises. A later record for the same case replaces an earlier one.
    CaseExercises(CaseExercises),
    /// The model and the inputs of a case that does not pass on some backend. A later record for
    /// the same case replaces an earlier one.
    CaseDetail(Box<CaseDetail>),
    /// The operator versions whose coverage is measured. A later catalogue replaces an earlier one.
    Catalogue {
        /// Sorted by domain, name and since.
        versions: Vec<OperatorVersion>,
    },
    /// A latency was measured. A later record for the same series replaces an earlier one.
    Latency(Box<LatencyRecord>),
    /// The decision whether a backend became slower. A later decision on the same series replaces an
    /// earlier one.
    LatencyGate(Box<LatencyGate>),
    /// The noise of the machine during measurements. A later record replaces an earlier one.
    Machine(Box<MachineState>),
    /// A phase of the run ended. Times of the same name are added.
    PhaseFinished {
        /// The phase: `corpus`, `reference`, `backends`.
        name: String,
        /// Its duration in seconds.
        wall_s: f64,
    },
    /// All cases of a backend were run. Times of the same name are added.
    BackendFinished {
        /// The backend's display name.
        backend: String,
        /// Its duration in seconds.
        wall_s: f64,
    },
    /// The run ended normally.
    RunFinished(RunFinished),
}

/// The facts that are known when a run starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    /// The start time in UTC, in the format of RFC 3339.
    pub started: String,
    /// The ONNX release of the tests: `1.22.0`; empty for cases from other sources.
    pub release: String,
    /// Cases selected for each backend.
    pub cases: u64,
    /// The command line, starting with the program.
    pub command: Vec<String>,
    /// The machine.
    pub environment: Environment,
    /// The policy.
    pub policy: PolicyUsed,
    /// The inputs of the results, part by part: `cases`, `policy`, `backend ort`. Only a run with the
    /// same values can resume this one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fingerprint: BTreeMap<String, String>,
    /// The shard of the selected cases; `None` in a run of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The arguments that select some of the cases: `--filter own/Loop*`; empty in a run of all
    /// cases of the releases.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selection: String,
    /// Requested backends without a worker, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, String>,
    /// The arguments that repeat one of its results.
    #[serde(default)]
    pub repeat: Repeat,
}

/// One of several runs that share the selected cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// Its number, from 1 on.
    pub index: u32,
    /// The number of shards.
    pub count: u32,
    /// The number of selected cases in all shards.
    pub selected: u64,
}

/// The policy of a run; empty in a run without verdicts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyUsed {
    /// Its name: `official`.
    pub name: String,
    /// The version of its file of tolerances.
    pub version: u32,
}

/// The facts that are known when a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = with_digest)]
pub struct RunFinished {
    /// The time since the last [`RunStarted`] in seconds.
    pub wall_s: f64,
    /// Whether all selected cases were run.
    pub complete: bool,
}

/// The log adds the digest of the lines before to the line of [`RunFinished`].
fn with_digest(schema: &mut Schema) {
    if let Some(properties) = schema.get_mut("properties").and_then(|it| it.as_object_mut()) {
        let digest = json_schema!({
            "description": "The SHA-256 of the log before this field.",
            "type": "string",
        });
        properties.insert("log_sha256".to_owned(), digest.into());
    }
}
