//! Errors of operators.

use onnx_re2::Re2Error;
use onnx_tensor::{DType, TensorError};

/// Why an operator has no result. The interpreter adds the node, the operator and its version.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    /// The inputs or attributes violate the specification.
    #[error("{0}")]
    Invalid(String),
    /// The specification leaves this case undefined, or the combination is not implemented. It is never
    /// approximated.
    #[error("not defined by the reference: {0}")]
    Undefined(String),
    /// A required input is missing.
    #[error("input {index} (`{name}`) is missing")]
    MissingInput {
        /// Its position.
        index: usize,
        /// Its name in the schema.
        name: &'static str,
    },
    /// A required attribute is missing or has a different type than the schema declares.
    #[error("attribute `{name}`: {problem}")]
    Attribute {
        name: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// An input has a kind of value that the operator does not accept.
    #[error("input {index} is a {found}, not a {expected}")]
    Kind {
        /// Its position.
        index: usize,
        /// The expected kind.
        expected: &'static str,
        /// The kind of the input.
        found: String,
    },
    /// A tensor has an unexpected type, rank or shape.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A result would be larger than the budget.
    #[error(
        "a result of {dtype} with shape {shape:?} exceeds the budget of {budget} bytes for one value, a limit of the reference"
    )]
    TooLarge {
        /// The shape of the result.
        shape: Vec<usize>,
        /// Its element type.
        dtype: DType,
        /// Bytes allowed.
        budget: usize,
    },
    /// Nodes, runs of bodies and calls of functions took more steps than the budget allows.
    #[error(
        "more than {budget} steps: the model may not terminate; if it does, raise the option `steps` of the reference"
    )]
    TooManySteps {
        /// Steps allowed.
        budget: u64,
    },
    /// The run needs more operations on elements than the budget allows.
    #[error(
        "{wanted} more operations on elements would exceed the budget of {budget} for a run, a limit of the \
         reference (its option `operations`)"
    )]
    TooMuchWork {
        /// Requested operations.
        wanted: u64,
        /// Allowed operations in one run.
        budget: u64,
    },
    /// The values that are live at one time exceed the budget.
    #[error(
        "the values of the run that are live at one time exceed the budget of {budget} bytes, a limit of the reference"
    )]
    TooMuchMemory {
        /// Bytes allowed.
        budget: usize,
    },
    /// A subgraph failed.
    #[error("in the body: {0}")]
    Body(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl OpError {
    /// A violation of the specification.
    pub fn invalid(message: impl Into<String>) -> Self {
        OpError::Invalid(message.into())
    }

    /// A case that the specification leaves undefined.
    pub fn undefined(message: impl Into<String>) -> Self {
        OpError::Undefined(message.into())
    }
}

impl From<Re2Error> for OpError {
    fn from(error: Re2Error) -> Self {
        match error {
            Re2Error::Invalid(_) => OpError::invalid(error.to_string()),
            Re2Error::TooLarge(what) => OpError::undefined(what),
        }
    }
}

impl From<ndarray::ShapeError> for OpError {
    fn from(error: ndarray::ShapeError) -> Self {
        OpError::Invalid(format!("incompatible shapes: {error}"))
    }
}
