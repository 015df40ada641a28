//! Errors of importing a model.

use backend_api::BackendError;
use onnx_schema::Unresolved;

use crate::error::{NodeError, Problem};

/// Why a model cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error("node `{node}`: {problem}")]
    Unresolved { node: String, problem: Unresolved },
    #[error("`{name}` is read but nothing defines it")]
    Undefined { name: String },
    #[error("the model breaks the rule `{}` ({}): {_0}", .0.rule().name(), .0.rule().section())]
    Broken(Box<onnx_checker::Finding>),
    #[error("a branch of an If declares inputs")]
    BranchInputs,
    #[error("functions and bodies are nested more than {0} deep")]
    TooDeep(u32),
    #[error("functions expand to more than {0} nodes")]
    TooManyNodes(usize),
    #[error("cannot decode the ONNX function body of {operator}: {problem}")]
    FunctionBody { operator: String, problem: String },
    #[error("initializer `{name}`: {problem}")]
    Initializer { name: String, problem: Problem },
}

impl ImportError {
    /// Converts to the error of a load.
    pub fn at_load(self) -> BackendError {
        match self {
            ImportError::Node(error) => error.at_load(),
            ImportError::Unresolved {
                problem: Unresolved::UnknownOperator { ref name, .. },
                ..
            } => BackendError::Unsupported {
                operator: Some(name.clone()),
                message: self.to_string(),
            },
            ImportError::Unresolved {
                problem: Unresolved::UnknownOpset { .. },
                ..
            } => BackendError::unsupported(self),
            ImportError::Initializer {
                problem: Problem::TooLarge { .. } | Problem::Memory { .. },
                ..
            } => BackendError::OutOfMemory {
                message: self.to_string(),
            },
            ImportError::Broken(ref finding) => match &finding.problem {
                onnx_checker::Problem::OperatorUnknown { .. } => BackendError::Unsupported {
                    operator: finding.node.as_ref().map(|node| node.operator.clone()),
                    message: self.to_string(),
                },
                onnx_checker::Problem::OpsetUnknown { .. } => BackendError::unsupported(self),
                _ => BackendError::load(self),
            },
            other => BackendError::load(other),
        }
    }
}
