//! Errors of compiling and running a model.

use backend_api::BackendError;
use onnx_tensor::TensorError;

/// What is wrong with a node.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Problem {
    /// This backend does not implement it.
    #[error("{0}")]
    Unsupported(String),
    /// It is invalid or undefined by the specification.
    #[error("{0}")]
    Invalid(String),
    /// A tensor has an unexpected element type, or its elements do not fill its shape.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A value exceeds the limit of elements.
    #[error("a value of shape {shape:?} has more than {limit} elements, extents of 0 not counted")]
    TooLarge {
        /// The requested shape.
        shape: Vec<usize>,
        /// The maximum number of elements of a value.
        limit: usize,
    },
    /// An allocation failed.
    #[error("{bytes} bytes of memory cannot be allocated")]
    Memory {
        /// The requested size in bytes.
        bytes: usize,
    },
}

impl From<native_kernels::KernelError> for Problem {
    fn from(error: native_kernels::KernelError) -> Problem {
        match error {
            native_kernels::KernelError::Memory { bytes } => Problem::Memory { bytes },
            other => Problem::Invalid(other.to_string()),
        }
    }
}

/// Returns an error for an invalid node.
pub fn invalid<T>(message: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Invalid(message.into()))
}

/// Returns an error for an unimplemented feature.
pub fn unsupported<T>(message: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Unsupported(message.into()))
}

#[derive(Clone, Debug, thiserror::Error)]
#[error("node `{node}` ({operator}): {problem}")]
pub struct NodeError {
    /// The node's name or first output.
    pub node: String,
    /// The operator with its version, as `Softmax-13`.
    pub operator: String,
    pub problem: Problem,
}

impl NodeError {
    /// Makes the error of an input.
    pub fn of_input(name: &str, problem: Problem) -> NodeError {
        NodeError {
            node: name.to_owned(),
            operator: "input".to_owned(),
            problem,
        }
    }

    /// Whether the model is at fault, as opposed to a limitation of this backend.
    pub fn is_fault_of_model(&self) -> bool {
        match self.problem {
            Problem::Invalid(_) | Problem::Tensor(_) => true,
            Problem::Unsupported(_) | Problem::TooLarge { .. } | Problem::Memory { .. } => false,
        }
    }

    /// Converts to the error of a load: *unsupported* for an unimplemented feature, else a load error.
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

    /// Converts to the error of a run.
    pub fn at_run(self) -> BackendError {
        match self.problem {
            Problem::Unsupported(_) | Problem::TooLarge { .. } | Problem::Memory { .. } => self.at_load(),
            Problem::Invalid(_) | Problem::Tensor(_) => BackendError::run(self),
        }
    }
}
