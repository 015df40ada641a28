//! What an operator may ask of the interpreter that runs it.

use onnx_model::Graph;
use onnx_tensor::{DType, Value};

use super::OpError;

/// The interpreter, as an operator sees it.
pub trait Host {
    /// Runs a subgraph; names it does not define are looked up in the scope of the node. `inputs` are bound by position.
    fn run_body(&self, body: &Graph, inputs: Vec<Option<Value>>) -> Result<Vec<Option<Value>>, OpError>;

    /// Asks for leave to make a value of this size, before memory is taken.
    fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError>;

    /// Counts one step of a loop.
    fn step(&self) -> Result<(), OpError>;

    /// Draws a seed for a random operator whose `seed` attribute is not set.
    fn draw_seed(&self) -> u64;
}
