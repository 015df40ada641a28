//! Errors of the interpreter.

use std::fmt;

use onnx_checker::{Finding, Problem};
use onnx_model::ModelError;
use onnx_operators::frame::OpError;

/// Why a model could not be bound or run. Names the node, the operator and its version if there is one.
#[derive(Debug, thiserror::Error)]
pub enum InterpretError {
    /// The model violates the specification.
    #[error(transparent)]
    Invalid(Refusal),
    /// A node violates a rule or failed.
    #[error("node `{node}` ({operator}): {problem}")]
    Node {
        /// The node's name or first output.
        node: String,
        /// Domain, operator and version, such as `Softmax-13` or `ai.onnx.ml.Scaler-1`.
        operator: String,
        /// What went wrong.
        #[source]
        problem: Box<NodeProblem>,
    },
    /// A required graph input is not fed.
    #[error("input `{0}` is not fed and has no initializer")]
    MissingInput(String),
    /// The fed name is not a graph input.
    #[error("`{0}` is fed, but the graph has no input of this name")]
    UnknownInput(String),
    /// A fed value has the wrong type.
    #[error("input `{name}` is declared as {declared}, but fed with {fed}")]
    InputType {
        /// The input.
        name: String,
        /// The declared type.
        declared: String,
        /// The type of the fed value.
        fed: String,
    },
    /// A fed value exceeds the limit.
    #[error("input `{name}`: {problem}")]
    Input {
        /// The input.
        name: String,
        /// What went wrong.
        #[source]
        problem: OpError,
    },
    /// A sparse initializer cannot be converted to a dense tensor, or an initializer exceeds the limit.
    #[error("initializer `{name}`: {problem}")]
    Initializer {
        /// The initializer.
        name: String,
        /// What went wrong.
        #[source]
        problem: OpError,
    },
    /// The elements of an output cannot be read.
    #[error(transparent)]
    Stored(#[from] StoredError),
    /// No node computes a graph output.
    #[error("no node produces output `{0}`")]
    MissingOutput(String),
    /// An operator passes a wrong number of inputs to a body.
    #[error("the body lists {listed} inputs, the operator passes {given}")]
    BodyArity {
        /// Inputs that the body lists.
        listed: usize,
        /// Inputs that the operator passes.
        given: usize,
    },
    /// A body exceeds the budget of steps, or one of its inputs or outputs is too large.
    #[error(transparent)]
    Budget(#[from] OpError),
    /// Function calls are nested too deeply.
    #[error("functions call each other deeper than {0} levels")]
    Recursion(usize),
}

impl InterpretError {
    /// Whether the run exceeds a limit of the reference, so that the model may still be right.
    pub fn is_of_budget(&self) -> bool {
        match self {
            InterpretError::Budget(problem) => of_budget(problem),
            InterpretError::Recursion(_) => true,
            InterpretError::Node { problem, .. } => match &**problem {
                NodeProblem::Operator(problem) => of_budget(problem),
                NodeProblem::Function { source, .. } => source.is_of_budget(),
                _ => false,
            },
            _ => false,
        }
    }
}

fn of_budget(problem: &OpError) -> bool {
    match problem {
        OpError::TooLarge { .. }
        | OpError::TooManySteps { .. }
        | OpError::TooMuchWork { .. }
        | OpError::TooMuchMemory { .. } => true,
        OpError::Body(inside) => {
            let inside = inside.downcast_ref::<InterpretError>();
            inside.is_some_and(InterpretError::is_of_budget)
        }
        _ => false,
    }
}

/// The elements of an initializer cannot be read from its file.
#[derive(Debug, thiserror::Error)]
#[error("initializer `{name}`: {source}")]
pub struct StoredError {
    /// The initializer.
    pub name: String,
    /// What went wrong.
    pub source: Box<ModelError>,
}

/// The error of a node.
#[derive(Debug, thiserror::Error)]
pub enum NodeProblem {
    /// A violation of the specification that is only known from the values of a run or the binding of a
    /// node.
    #[error(transparent)]
    Violation(#[from] Problem),
    /// The reference does not implement this version.
    #[error("not implemented by the reference")]
    NotImplemented,
    /// The operator is in a domain without schemas, or the table of contrib operators does not have it.
    #[error("{}, and the model has no function of this name", foreign(.0))]
    ForeignDomain(String),
    /// An input is not computed before the node.
    #[error("input `{0}` is not defined before this node")]
    UnknownValue(String),
    /// The elements of an input cannot be read.
    #[error(transparent)]
    Stored(#[from] StoredError),
    /// The operator returned fewer outputs than the node lists.
    #[error("output {0} was not produced")]
    MissingOutput(usize),
    /// The operator failed.
    #[error(transparent)]
    Operator(#[from] OpError),
    /// A function's body failed.
    #[error("in function `{name}`: {source}")]
    Function {
        /// The function.
        name: String,
        /// The error inside.
        source: Box<InterpretError>,
    },
}

/// Why an operator of this domain is unknown.
fn foreign(domain: &str) -> String {
    if domain == onnx_schema::CONTRIB_DOMAIN {
        let release = onnx_schema::runtime_release();
        return format!("ONNX Runtime {release} has no operator of this name in `{domain}`");
    }
    match onnx_schema::foreign_domain(domain) {
        Some(reason) => format!("domain `{domain}` is not supported ({reason})"),
        None => format!("domain `{domain}` is not a domain of ONNX"),
    }
}

/// Why a model is rejected before it runs: all findings of the checker that no [`crate::Deviation`] covers.
#[derive(Debug)]
pub struct Refusal(pub Vec<Finding>);

impl std::error::Error for Refusal {}

/// Shows the first finding with its rule, and the number of other findings.
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
