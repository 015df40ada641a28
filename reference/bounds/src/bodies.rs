//! The bodies that a node runs, as a rule sees them.

use onnx_model::Graph;
use onnx_operators::frame::{OpError, Outputs};
use onnx_tensor::Value;

use crate::Radius;

/// The interpreter, as far as a rule needs it for the bodies of a node.
pub trait Bodies {
    /// The inputs of every body that the evaluation ran, in the order in which it ran them.
    fn ran(&self) -> Vec<Vec<Option<Value>>>;

    /// Runs `body` on `inputs` that are off by `radii`; gives its outputs and how far each is off.
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
