//! Conditions, and what goes wrong around a body.

use onnx_tensor::Value;

use crate::error::{NodeError, Problem, invalid};
use crate::ops::numbers::bools;

/// What went wrong around a body: in it, or with the node that has it.
pub enum BodyError {
    /// At a node of the body.
    Inside(NodeError),
    /// At the node itself.
    Own(Problem),
}

impl BodyError {
    /// As the error of a node.
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

/// The condition of an If: its only element.
pub fn condition(inputs: &[Option<&Value>]) -> Result<bool, Problem> {
    match inputs.first() {
        Some(Some(Value::Tensor(tensor))) => truth(tensor),
        _ => invalid("the condition is missing or no tensor"),
    }
}

/// The only element of a tensor of booleans.
pub fn truth(tensor: &onnx_tensor::Tensor) -> Result<bool, Problem> {
    match bools(tensor)?[..] {
        [value] => Ok(value),
        ref many => invalid(format!(
            "a condition has {} elements, one is expected",
            many.len()
        )),
    }
}
