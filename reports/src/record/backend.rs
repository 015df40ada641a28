//! What a backend said of itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A backend as it took part in the run, from its worker's handshake.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackendInfo {
    /// The name under which results are listed and which `--backend` takes: `ort`, `tract:plain`.
    pub name: String,
    /// The adapter behind it: `ort`, `tract`, `cmd`.
    pub kind: String,
    /// The runtime's version.
    pub version: String,
    /// How the runtime was built, in its own words; may be empty.
    pub build: String,
    /// The options it ran under.
    pub options: BTreeMap<String, String>,
    /// The execution providers or devices it used, in order of preference.
    pub providers: Vec<String>,
}
