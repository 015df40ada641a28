//! The command that repeats a result of a run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The command line of a run without the parts that depend on the result: the backend and the case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Repeat {
    /// The program with its command: `cargo`, `xtask`, `conformance`.
    pub program: Vec<String>,
    /// The arguments for the source of cases that are not official: `--cases`, `./models`. The id of an
    /// official case contains its release.
    pub cases: Vec<String>,
    /// The backends with an alias: `new` is `ort:version=1.31.1`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub named: BTreeMap<String, String>,
    /// All other arguments on which a result depends: `--policy`, `bound`.
    pub options: Vec<String>,
}
