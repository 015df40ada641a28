//! The providers on which the nodes of a case ran.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The providers on which the nodes of a model ran, as reported by the backend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The requested provider.
    pub requested: String,
    /// The number of nodes on each provider.
    pub nodes: BTreeMap<String, u64>,
    /// The first few nodes on other providers: `conv1 (Conv) on CPUExecutionProvider`.
    pub elsewhere: Vec<String>,
}

impl Place {
    /// Whether some node did not run on the requested provider.
    pub fn fell_back(&self) -> bool {
        let elsewhere = |provider: &String| *provider != self.requested;
        !self.requested.is_empty() && self.nodes.keys().any(elsewhere)
    }

    /// Nodes by provider, in one line: `57 CUDAExecutionProvider, 2 CPUExecutionProvider`.
    pub fn words(&self) -> String {
        let words = self
            .nodes
            .iter()
            .map(|(provider, nodes)| format!("{nodes} {provider}"));
        words.collect::<Vec<_>>().join(", ")
    }
}
