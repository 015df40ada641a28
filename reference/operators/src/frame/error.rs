//! Why an operator has no result.

use onnx_tensor::{DType, TensorError};

/// Why an operator has no result. The interpreter adds the node, the operator and its version.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    /// The inputs or attributes break a rule of the specification.
    #[error("{0}")]
    Invalid(String),
    /// The specification leaves this without meaning, or this combination is not implemented; never approximated.
    #[error("not defined by the reference: {0}")]
    Undefined(String),
    /// An input that must be there is not.
    #[error("input {index} (`{name}`) is missing")]
    MissingInput {
        /// Its position.
        index: usize,
        /// Its name in the schema.
        name: &'static str,
    },
    /// An attribute that must be there is not, or has another kind than the schema says.
    #[error("attribute `{name}`: {problem}")]
    Attribute {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// An input is of a kind of value that the operator does not take.
    #[error("input {index} is a {found}, not a {expected}")]
    Kind {
        /// Its position.
        index: usize,
        /// What is asked for.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A tensor is not what it must be.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A result would be larger than the budget.
    #[error("a result of {dtype} with shape {shape:?} is over the budget of {budget} bytes for one value")]
    TooLarge {
        /// The shape of the result.
        shape: Vec<usize>,
        /// Its element type.
        dtype: DType,
        /// Bytes allowed.
        budget: usize,
    },
    /// Nodes, runs of bodies and calls of functions took more steps than the budget allows.
    #[error("more than {budget} steps: the model may have no end; raise the budget of steps if it has")]
    TooManySteps {
        /// Steps allowed.
        budget: u64,
    },
    /// The run takes more operations on elements than the budget allows.
    #[error(
        "{wanted} more operations on elements would exceed the budget of {budget} for a run; raise it if the model is to \
         be trusted"
    )]
    TooMuchWork {
        /// Operations that are asked for.
        wanted: u64,
        /// Operations allowed in one run.
        budget: u64,
    },
    /// The values that live at one time would be larger than the budget.
    #[error("the values of the run exceed the budget of {budget} bytes in memory at one time")]
    TooMuchMemory {
        /// Bytes allowed.
        budget: usize,
    },
    /// A subgraph failed.
    #[error("in the body: {0}")]
    Body(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl OpError {
    /// A broken rule.
    pub fn invalid(message: impl Into<String>) -> Self {
        OpError::Invalid(message.into())
    }

    /// A combination without meaning.
    pub fn undefined(message: impl Into<String>) -> Self {
        OpError::Undefined(message.into())
    }
}

impl From<ndarray::ShapeError> for OpError {
    fn from(error: ndarray::ShapeError) -> Self {
        OpError::Invalid(format!("shapes do not fit: {error}"))
    }
}
