//! Proof of place: on which providers the nodes of a case ran.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// On which providers the nodes of a model ran, as far as the backend says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The provider that was asked for.
    pub requested: String,
    /// How many nodes ran on each provider.
    pub nodes: BTreeMap<String, u64>,
    /// The first few nodes that ran elsewhere: `conv1 (Conv) on CPUExecutionProvider`.
    pub elsewhere: Vec<String>,
}

impl Place {
    /// Whether some node did not run on the provider that was asked for.
    pub fn fell_back(&self) -> bool {
        let elsewhere = |provider: &String| *provider != self.requested;
        !self.requested.is_empty() && self.nodes.keys().any(elsewhere)
    }

    /// Nodes and their provider, in one line: `57 CUDAExecutionProvider, 2 CPUExecutionProvider`.
    pub fn words(&self) -> String {
        let words = self
            .nodes
            .iter()
            .map(|(provider, nodes)| format!("{nodes} {provider}"));
        words.collect::<Vec<_>>().join(", ")
    }
}
