//! The bodies of a node, as seen by a rule.

use onnx_model::Graph;
use onnx_operators::frame::{OpError, Outputs};
use onnx_tensor::Value;

use crate::Radius;

/// The services of the interpreter for the bodies of a node.
pub trait Bodies {
    /// The inputs of every body that the evaluation ran, in order.
    fn ran(&self) -> Vec<Vec<Option<Value>>>;

    /// Runs `body` on `inputs` with errors of at most `radii`. Returns its outputs and their radii.
    ///
    /// # Errors
    /// Those of the nodes of the body.
    fn run(
        &self,
        body: &Graph,
        inputs: Vec<Option<Value>>,
        radii: Vec<Radius>,
    ) -> Result<(Outputs, Vec<Radius>), OpError>;
}
