//! Why a model has no result.

use std::fmt;

use onnx_checker::{Finding, Problem};
use onnx_operators::frame::OpError;

/// Why a model could not be bound or run. Names the node, the operator and its version where there is one.
#[derive(Debug, thiserror::Error)]
pub enum InterpretError {
    /// A model that breaks the specification.
    #[error(transparent)]
    Invalid(Refusal),
    /// A node that broke a rule or failed.
    #[error("node `{node}` ({operator}): {problem}")]
    Node {
        /// The node's name or first output.
        node: String,
        /// Domain, operator and version, as `Softmax-13` or `ai.onnx.ml.Scaler-1`.
        operator: String,
        /// What went wrong.
        #[source]
        problem: Box<NodeProblem>,
    },
    /// An input that the graph asks for was not fed.
    #[error("input `{0}` is not fed and has no initializer")]
    MissingInput(String),
    /// A value was fed that the graph does not name.
    #[error("`{0}` is fed, but the graph has no such input")]
    UnknownInput(String),
    /// A value of the wrong type was fed.
    #[error("input `{name}` is declared as {declared}, fed with {fed}")]
    InputType {
        /// The input.
        name: String,
        /// As the graph declares it.
        declared: String,
        /// What was fed.
        fed: String,
    },
    /// A value was fed that is larger than allowed.
    #[error("input `{name}`: {problem}")]
    Input {
        /// The input.
        name: String,
        /// What went wrong.
        #[source]
        problem: OpError,
    },
    /// A sparse initializer that cannot be made dense, or one that is larger than allowed.
    #[error("initializer `{name}`: {problem}")]
    Initializer {
        /// The initializer.
        name: String,
        /// What went wrong.
        #[source]
        problem: OpError,
    },
    /// A graph output that no node produced.
    #[error("output `{0}` is produced by no node")]
    MissingOutput(String),
    /// A body was called with another number of inputs than it lists.
    #[error("the body lists {listed} inputs, the operator gives {given}")]
    BodyArity {
        /// Inputs that the body lists.
        listed: usize,
        /// Inputs that the operator gives.
        given: usize,
    },
    /// The run of a body took one step too many, or gave or got a value that is too large.
    #[error(transparent)]
    Budget(#[from] OpError),
    /// Functions call each other without end.
    #[error("functions call each other deeper than {0} levels")]
    Recursion(usize),
}

/// What is wrong with a node.
#[derive(Debug, thiserror::Error)]
pub enum NodeProblem {
    /// A breach of the specification that only the values of a run, or the binding of a node, brought to light.
    #[error(transparent)]
    Breach(#[from] Problem),
    /// The reference lacks this version.
    #[error("not implemented by the reference")]
    NotImplemented,
    /// An operator of a domain that is not of ONNX.
    #[error("domain `{0}` is not one of ONNX, and the model has no function of this name")]
    ForeignDomain(String),
    /// A value that nothing has given yet.
    #[error("input `{0}` is defined by nothing before this node")]
    UnknownValue(String),
    /// The operator gave another number of outputs than the node lists.
    #[error("output {0} was not produced")]
    MissingOutput(usize),
    /// The operator itself failed.
    #[error(transparent)]
    Operator(#[from] OpError),
    /// A function's body failed.
    #[error("in function `{name}`: {source}")]
    Function {
        /// The function.
        name: String,
        /// What went wrong inside.
        source: Box<InterpretError>,
    },
}

/// Why a model is refused before it runs: everything that the check found and no [`crate::Deviation`] covers.
#[derive(Debug)]
pub struct Refusal(pub Vec<Finding>);

impl std::error::Error for Refusal {}

/// The first finding with its rule, and how many more there are.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.0.first() else {
            return f.write_str("the model is not valid");
        };
        write!(f, "{first} [{}; {}]", first.rule().name(), first.rule().section())?;
        match self.0.len() {
            1 => Ok(()),
            count => write!(f, " and {} more findings", count - 1),
        }
    }
}
