//! What an operator may ask of the interpreter that runs it.

use std::collections::BTreeMap;

use onnx_model::{Graph, Node};
use onnx_tensor::{DType, Value};

use super::{Deviation, OpError, Reading};

/// The graph in which a node stands, as far as it comes before the node.
#[derive(Clone, Copy, Debug)]
pub struct Enclosing<'a> {
    /// Domain to opset, for the nodes.
    pub imports: &'a BTreeMap<String, i64>,
    /// The nodes before this one, in their order.
    pub nodes: &'a [Node],
    /// The constants of the graph by name.
    pub initializers: &'a [(String, Value)],
}

/// The interpreter, as an operator sees it.
pub trait Host {
    /// Runs a subgraph; names it does not define are looked up in the scope of the node. `inputs` are bound by position.
    fn run_body(&self, body: &Graph, inputs: Vec<Option<Value>>) -> Result<Vec<Option<Value>>, OpError>;

    /// Asks for leave to make a value of this size, before memory is taken, and charges its elements as work. The size is
    /// the product of the extents that are not zero ([`onnx_tensor::footprint()`]).
    fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError>;

    /// Counts one step of a loop.
    fn step(&self) -> Result<(), OpError>;

    /// Charges this many operations on elements, before they are done.
    fn work(&self, operations: u64) -> Result<(), OpError>;

    /// Whether the run departs from the specification here; a run may record it.
    fn tolerates(&self, deviation: Deviation) -> bool;

    /// Whether the run takes this reading of what the specification leaves open.
    fn takes(&self, reading: Reading) -> bool;

    /// The graph in which the node stands; `None` inside a function, whose nodes depend on the attributes of its caller.
    fn enclosing(&self) -> Option<Enclosing<'_>> {
        None
    }

    /// Draws a seed for a random operator whose `seed` attribute is not set.
    fn draw_seed(&self) -> u64;
}
