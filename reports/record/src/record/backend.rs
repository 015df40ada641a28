//! The description of a backend in the log.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A backend of the run, from its worker's handshake.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackendInfo {
    /// The name in results and for `--backend`: `ort`, `tract:plain`.
    pub name: String,
    /// Its adapter: `ort`, `tract`, `cmd`.
    pub kind: String,
    /// The version of the runtime.
    pub version: String,
    /// How the runtime was built, as it reports; may be empty.
    pub build: String,
    /// The options of the run.
    pub options: BTreeMap<String, String>,
    /// The execution providers or devices that it used, in order of preference.
    pub providers: Vec<String>,
}
