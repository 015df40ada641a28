//! Errors of a backend.

use serde::{Deserialize, Serialize};

/// Why a backend did not do what was requested.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BackendError {
    /// The backend knows that it does not support this: an operator, a version, an element type, a feature.
    #[error("not supported: {message}")]
    Unsupported {
        /// A description of the unsupported feature.
        message: String,
        /// The operator concerned, if there is one.
        #[serde(default)]
        operator: Option<String>,
    },
    /// The runtime runs the model, but the requested provider or device does not take every node, and no
    /// other one may run the rest.
    #[error("not taken: {message}")]
    NotTaken {
        /// The first nodes that are not taken.
        message: String,
    },
    /// The model could not be loaded.
    #[error("load failed: {message}")]
    Load {
        /// The message of the runtime.
        message: String,
    },
    /// The model could not be run.
    #[error("run failed: {message}")]
    Run {
        /// The message of the runtime.
        message: String,
    },
    /// The backend reports that memory is exhausted.
    #[error("out of memory: {message}")]
    OutOfMemory {
        /// The allocation that failed.
        message: String,
    },
    /// An option is unknown, or its value is invalid.
    #[error("option `{option}`: {message}")]
    Option {
        /// The option.
        option: String,
        /// The problem, and the allowed values.
        message: String,
    },
    /// The runtime is not available (a missing library, a missing device).
    #[error("backend not available: {message}")]
    Missing {
        /// What is missing and how to install it.
        message: String,
    },
}

impl BackendError {
    /// Makes a load error.
    pub fn load(message: impl std::fmt::Display) -> Self {
        BackendError::Load {
            message: message.to_string(),
        }
    }

    /// Makes a run error.
    pub fn run(message: impl std::fmt::Display) -> Self {
        BackendError::Run {
            message: message.to_string(),
        }
    }

    /// Makes an error for a model of which the requested provider does not take every node.
    pub fn not_taken(message: impl std::fmt::Display) -> Self {
        BackendError::NotTaken {
            message: message.to_string(),
        }
    }

    /// Makes an error for an unsupported feature that concerns no operator in particular.
    pub fn unsupported(message: impl std::fmt::Display) -> Self {
        BackendError::Unsupported {
            message: message.to_string(),
            operator: None,
        }
    }
}
