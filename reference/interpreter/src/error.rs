//! Why a model has no result.

use onnx_operators::frame::OpError;
use onnx_schema::Unresolved;

/// Why a model could not be bound or run. Names the node, the operator and its version where there is one.
#[derive(Debug, thiserror::Error)]
pub enum InterpretError {
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
    /// Functions call each other without end.
    #[error("functions call each other deeper than {0} levels")]
    Recursion(usize),
}

/// What is wrong with a node.
#[derive(Debug, thiserror::Error)]
pub enum NodeProblem {
    /// The node means no version of any operator, and no function of the model.
    #[error(transparent)]
    Unresolved(#[from] Unresolved),
    /// The operator was withdrawn at this version.
    #[error("deprecated at this version: models of this opset cannot use it")]
    Deprecated,
    /// The reference lacks this version.
    #[error("not implemented by the reference")]
    NotImplemented,
    /// Too few or too many inputs or outputs.
    #[error("{what}: {found} given, {least} to {most} allowed")]
    Arity {
        /// `inputs` or `outputs`.
        what: &'static str,
        /// How many the node lists.
        found: usize,
        /// The least number.
        least: usize,
        /// The greatest number.
        most: usize,
    },
    /// A type outside the version's set.
    #[error("input {index} (`{name}`) is {found}; this version takes {allowed}")]
    Type {
        /// Its position.
        index: usize,
        /// Its name in the schema.
        name: &'static str,
        /// What it is.
        found: String,
        /// What it may be.
        allowed: String,
    },
    /// Two inputs that must have one type have two.
    #[error("input {index} (`{name}`) is {found}, but type parameter {parameter} is already {bound}")]
    TypeConflict {
        /// Its position.
        index: usize,
        /// Its name in the schema.
        name: &'static str,
        /// What it is.
        found: String,
        /// The schema's type parameter.
        parameter: &'static str,
        /// What the parameter was bound to before.
        bound: String,
    },
    /// An attribute that the version does not know.
    #[error("attribute `{0}` is not one of this version")]
    UnknownAttribute(String),
    /// A required attribute that is missing.
    #[error("attribute `{0}` is required")]
    MissingAttribute(String),
    /// A function's attribute that the caller did not give and that has no default.
    #[error("attribute `{0}` refers to a function attribute that was not given")]
    UnboundReference(String),
    /// A name that nothing defines before this node.
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
