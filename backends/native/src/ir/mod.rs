//! The graph as this backend holds it: values in single assignment, nodes in an order in which they can run.
//!
//! A value has one definition: a graph input, a constant, or an output of one node. Its type is what is known of it, down to
//! nothing; extents may be named ([`onnx_tensor::Dim`]). A body (of an If, Loop or Scan) is a graph of its own: what it reads
//! of the graph around it are further inputs of the body and of its node, so that no name reaches across.

mod attributes;
mod display;
mod facts;
mod fused;
mod graph;
mod op;

pub use attributes::Attributes;
pub use facts::{bounded, dtype, fixed_shape, shape};
pub use fused::{Epilogued, Fused, Interleaved};
#[cfg(test)]
pub use graph::walks;
pub use graph::{Graph, Layout, Node, Value, ValueId};
pub use op::{Op, Operator};
