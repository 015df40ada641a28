//! Which answer to an open question of the specification a backend follows.

use serde::{Deserialize, Serialize};

/// What a backend answered in a case that depends on an open question of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingFollowed {
    /// The case's id.
    pub case: String,
    /// The backend's display name.
    pub backend: String,
    /// The question: `resize-extent`.
    pub question: String,
    /// The answer that the outputs agree with; none where they agree with none.
    pub answer: Option<String>,
    /// The answer that the reference gives by default.
    pub default: String,
}
