//! Why a model cannot be compiled or run.

use backend_api::BackendError;
use onnx_tensor::TensorError;

/// What is wrong with one use of an operator.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Problem {
    /// This backend has no code for it.
    #[error("{0}")]
    Unsupported(String),
    /// The specification gives it no meaning.
    #[error("{0}")]
    Invalid(String),
    /// A value has another element type than the operator can take, or does not fill its shape.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A value would take more memory than one may.
    #[error("a value of shape {shape:?} has more than {limit} elements, extents of 0 left aside")]
    TooLarge {
        /// The shape asked for.
        shape: Vec<usize>,
        /// The most elements that a value may have.
        limit: usize,
    },
    /// The system does not give so much memory.
    #[error("{bytes} bytes of memory cannot be had")]
    Memory {
        /// What was asked for.
        bytes: usize,
    },
}

/// An invalid use.
pub fn invalid<T>(message: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Invalid(message.into()))
}

/// Something that there is no code for.
pub fn unsupported<T>(message: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Unsupported(message.into()))
}

/// What is wrong, and with which node.
#[derive(Clone, Debug, thiserror::Error)]
#[error("node `{node}` ({operator}): {problem}")]
pub struct NodeError {
    /// The node's name or first output.
    pub node: String,
    /// The operator with its since, as `Softmax-13`.
    pub operator: String,
    /// What is wrong.
    pub problem: Problem,
}

impl NodeError {
    /// Of a value that is fed.
    pub fn of_input(name: &str, problem: Problem) -> NodeError {
        NodeError {
            node: name.to_owned(),
            operator: "input".to_owned(),
            problem,
        }
    }

    /// Whether the model is wrong, and this backend lacks nothing.
    pub fn is_fault_of_model(&self) -> bool {
        match self.problem {
            Problem::Invalid(_) | Problem::Tensor(_) => true,
            Problem::Unsupported(_) | Problem::TooLarge { .. } | Problem::Memory { .. } => false,
        }
    }

    /// As the answer to a request to load: what there is no code for is unsupported, the rest an error.
    pub fn at_load(self) -> BackendError {
        match self.problem {
            Problem::Unsupported(_) => BackendError::Unsupported {
                message: self.to_string(),
                operator: Some(self.operator),
            },
            Problem::TooLarge { .. } | Problem::Memory { .. } => BackendError::OutOfMemory {
                message: self.to_string(),
            },
            Problem::Invalid(_) | Problem::Tensor(_) => BackendError::load(self),
        }
    }

    /// As the answer to a request to run.
    pub fn at_run(self) -> BackendError {
        match self.problem {
            Problem::Unsupported(_) | Problem::TooLarge { .. } | Problem::Memory { .. } => self.at_load(),
            Problem::Invalid(_) | Problem::Tensor(_) => BackendError::run(self),
        }
    }
}
