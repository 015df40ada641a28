//! Why a backend did not do what it was asked.

use serde::{Deserialize, Serialize};

/// Why a backend did not do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BackendError {
    /// The backend knows that it cannot do this: an operator, a version, an element type, a feature.
    #[error("not supported: {message}")]
    Unsupported {
        /// What is not supported, for a person.
        message: String,
        /// The operator it is about, where it is about one.
        #[serde(default)]
        operator: Option<String>,
    },
    /// The model could not be loaded.
    #[error("load failed: {message}")]
    Load {
        /// What the runtime said.
        message: String,
    },
    /// The model could not be run.
    #[error("run failed: {message}")]
    Run {
        /// What the runtime said.
        message: String,
    },
    /// The backend noticed that memory does not suffice.
    #[error("out of memory: {message}")]
    OutOfMemory {
        /// What was asked for.
        message: String,
    },
    /// An option the backend does not know, or a value it cannot take.
    #[error("option `{option}`: {message}")]
    Option {
        /// The option.
        option: String,
        /// What is wrong with it, and what would be right.
        message: String,
    },
    /// The runtime itself is not there (a missing library, a missing device).
    #[error("backend not available: {message}")]
    Missing {
        /// What is missing and how to get it.
        message: String,
    },
}

impl BackendError {
    /// A load error from anything that can be shown.
    pub fn load(message: impl std::fmt::Display) -> Self {
        BackendError::Load {
            message: message.to_string(),
        }
    }

    /// A run error from anything that can be shown.
    pub fn run(message: impl std::fmt::Display) -> Self {
        BackendError::Run {
            message: message.to_string(),
        }
    }

    /// Something that is not supported, about no operator in particular.
    pub fn unsupported(message: impl std::fmt::Display) -> Self {
        BackendError::Unsupported {
            message: message.to_string(),
            operator: None,
        }
    }
}
