//! The graph of this backend, in static single assignment form, with its nodes in topological order.
//!
//! Each value has one definition: a graph input, a constant, or an output of one node. Its type may be partly
//! or completely unknown; extents may be named ([`onnx_tensor::Dim`]). A body (of an If, Loop or Scan) is a
//! separate graph. The values that it captures from the outer graph are additional inputs of the body and of
//! its node.

mod display;
mod facts;
mod fused;
mod graph;
mod op;

pub use display::TypeText;
pub use facts::{bounded, dtype, fixed_shape, shape};
pub use fused::{Attention, Dequantized, Epilogued, Fused, Interleaved, Masking, OnBytes, Rounded};
#[cfg(test)]
pub use graph::walks;
pub use graph::{Graph, Layout, Node, Value, ValueId};
pub use op::{Op, Operator};
