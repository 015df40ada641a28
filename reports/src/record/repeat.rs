//! How a result of a run is repeated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The command line of a run without what differs from result to result: the backend and the case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// The program with its command: `cargo`, `xtask`, `conformance`.
    pub program: Vec<String>,
    /// The arguments that say where cases come from that are no official ones: `--cases`, `./models`. An official case names
    /// its release itself.
    pub cases: Vec<String>,
    /// The backends that have a name of their own, by that name: `new` is `ort:version=1.31.1`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub named: BTreeMap<String, String>,
    /// All other arguments on which a result depends: `--policy`, `bound`.
    pub options: Vec<String>,
}
