//! Conditions, and errors of bodies.

use onnx_tensor::Value;

use crate::error::{NodeError, Problem, invalid};
use crate::ops::numbers::bools;

/// An error of a body, or of the node that has it.
pub enum BodyError {
    /// An error of a node in the body.
    Inside(NodeError),
    /// An error of the node itself.
    Own(Problem),
}

impl BodyError {
    /// Converts to the error of a node.
    pub fn at(self, own: impl FnOnce(Problem) -> NodeError) -> NodeError {
        match self {
            BodyError::Inside(error) => error,
            BodyError::Own(problem) => own(problem),
        }
    }
}

impl From<Problem> for BodyError {
    fn from(problem: Problem) -> BodyError {
        BodyError::Own(problem)
    }
}

impl From<NodeError> for BodyError {
    fn from(error: NodeError) -> BodyError {
        BodyError::Inside(error)
    }
}

/// Returns the condition of an If.
pub fn condition(inputs: &[Option<&Value>]) -> Result<bool, Problem> {
    match inputs.first() {
        Some(Some(Value::Tensor(tensor))) => truth(tensor),
        _ => invalid("the condition is missing or not a tensor"),
    }
}

/// Returns the only element of a boolean tensor.
pub fn truth(tensor: &onnx_tensor::Tensor) -> Result<bool, Problem> {
    match bools(tensor)?[..] {
        [value] => Ok(value),
        ref many => invalid(format!("expected a condition of one element, got {}", many.len())),
    }
}
