//! The services that the interpreter offers to operators.

use std::collections::BTreeMap;

use onnx_model::{Graph, Node};
use onnx_tensor::{DType, Value};

use super::{Deviation, OpError, Reading};

/// The graph that contains a node, up to that node.
#[derive(Clone, Copy, Debug)]
pub struct Enclosing<'a> {
    /// Opset imports of the nodes: domain to opset.
    pub imports: &'a BTreeMap<String, i64>,
    /// The nodes before this one, in order.
    pub nodes: &'a [Node],
    /// The constants of the graph by name.
    pub initializers: &'a [(String, Value)],
}

/// What a run does with a result that the specification does not determine.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Unspecified {
    /// It returns the reference's choice.
    #[default]
    Chosen,
    /// It draws a value; random operators ignore their attribute `seed`. Different seeds of a run have
    /// different values.
    Drawn,
    /// It ends with an error that names the node and the reason.
    Refused,
}

/// The interpreter, as seen by an operator.
pub trait Host {
    /// Runs a subgraph; names that it does not define are looked up in the scope of the node. `inputs` are
    /// bound by position.
    fn run_body(&self, body: &Graph, inputs: Vec<Option<Value>>) -> Result<Vec<Option<Value>>, OpError>;

    /// Requests a value of this size before it is allocated, and charges its elements as work. The size is
    /// the product of the non-zero extents ([`onnx_tensor::footprint()`]).
    fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError>;

    /// Counts one step of a loop.
    fn step(&self) -> Result<(), OpError>;

    /// Charges this number of operations on elements before they run.
    fn work(&self, operations: u64) -> Result<(), OpError>;

    /// Whether the run accepts this deviation from the specification. A run may record it.
    fn tolerates(&self, deviation: Deviation) -> bool;

    /// Whether the run uses this reading, an answer to a question that the specification leaves open.
    fn takes(&self, reading: Reading) -> bool;

    /// What the run does with a result that the specification does not determine.
    fn unspecified(&self) -> Unspecified {
        Unspecified::Chosen
    }

    /// Draws a seed for random rounding; `None` if the run has none. Where it has, equal values may differ.
    fn rounding_seed(&self) -> Option<u64> {
        None
    }

    /// The graph that contains the node; `None` inside a function, whose nodes depend on the attributes of
    /// its caller.
    fn enclosing(&self) -> Option<Enclosing<'_>> {
        None
    }

    /// Draws a seed for a random operator whose `seed` attribute is not set.
    fn draw_seed(&self) -> u64;
}
