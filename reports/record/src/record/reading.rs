//! The answer of a backend to an open question of the specification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of a backend in a case that depends on an open question of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadingFollowed {
    /// The case's id.
    pub case: String,
    /// The backend's display name.
    pub backend: String,
    /// The question: `resize-extent`.
    pub question: String,
    /// The answer with which the outputs agree; `None` if they agree with none.
    pub answer: Option<String>,
    /// The default answer of the reference.
    pub default: String,
}
