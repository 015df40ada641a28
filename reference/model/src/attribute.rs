//! Attributes of nodes: their values and kinds.

use std::sync::Arc;

use onnx_tensor::{SparseTensor, Tensor, ValueType};

use crate::Graph;

/// A named attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: String,
    /// The value.
    pub value: AttributeValue,
}

#[derive(Clone, Debug)]
pub enum AttributeValue {
    Float(f32),
    Int(i64),
    String(Vec<u8>),
    Tensor(Tensor),
    Graph(Arc<Graph>),
    Sparse(SparseTensor),
    Type(ValueType),
    Floats(Vec<f32>),
    Ints(Vec<i64>),
    Strings(Vec<Vec<u8>>),
    Tensors(Vec<Tensor>),
    Graphs(Vec<Arc<Graph>>),
    Sparses(Vec<SparseTensor>),
    Types(Vec<ValueType>),
    /// A reference inside a function: the value of the function's attribute of this name (`ref_attr_name`),
    /// and the kind that it states, which other tools require.
    Reference(String, Option<AttributeKind>),
}

/// The kind of an attribute. The discriminant is the number of `AttributeProto.AttributeType`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum AttributeKind {
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    TypeProto = 13,
    TypeProtos = 14,
}

impl AttributeKind {
    /// Returns the number in `AttributeProto.AttributeType`.
    pub const fn to_onnx(self) -> i32 {
        self as i32
    }
}

impl AttributeValue {
    /// Returns the kind; `None` for a reference, whose kind is that of the referenced attribute.
    pub fn kind(&self) -> Option<AttributeKind> {
        Some(match self {
            AttributeValue::Float(_) => AttributeKind::Float,
            AttributeValue::Int(_) => AttributeKind::Int,
            AttributeValue::String(_) => AttributeKind::String,
            AttributeValue::Tensor(_) => AttributeKind::Tensor,
            AttributeValue::Graph(_) => AttributeKind::Graph,
            AttributeValue::Floats(_) => AttributeKind::Floats,
            AttributeValue::Ints(_) => AttributeKind::Ints,
            AttributeValue::Strings(_) => AttributeKind::Strings,
            AttributeValue::Tensors(_) => AttributeKind::Tensors,
            AttributeValue::Graphs(_) => AttributeKind::Graphs,
            AttributeValue::Sparse(_) => AttributeKind::SparseTensor,
            AttributeValue::Sparses(_) => AttributeKind::SparseTensors,
            AttributeValue::Type(_) => AttributeKind::TypeProto,
            AttributeValue::Types(_) => AttributeKind::TypeProtos,
            AttributeValue::Reference(_, _) => return None,
        })
    }

    /// Returns the graphs that the value holds.
    pub fn graphs(&self) -> &[Arc<Graph>] {
        match self {
            AttributeValue::Graph(graph) => std::slice::from_ref(graph),
            AttributeValue::Graphs(graphs) => graphs,
            AttributeValue::Float(_)
            | AttributeValue::Int(_)
            | AttributeValue::String(_)
            | AttributeValue::Tensor(_)
            | AttributeValue::Sparse(_)
            | AttributeValue::Type(_)
            | AttributeValue::Floats(_)
            | AttributeValue::Ints(_)
            | AttributeValue::Strings(_)
            | AttributeValue::Tensors(_)
            | AttributeValue::Sparses(_)
            | AttributeValue::Types(_)
            | AttributeValue::Reference(_, _) => &[],
        }
    }

    /// Returns the graphs that the value holds, to be changed.
    pub fn graphs_mut(&mut self) -> &mut [Arc<Graph>] {
        match self {
            AttributeValue::Graph(graph) => std::slice::from_mut(graph),
            AttributeValue::Graphs(graphs) => graphs,
            AttributeValue::Float(_)
            | AttributeValue::Int(_)
            | AttributeValue::String(_)
            | AttributeValue::Tensor(_)
            | AttributeValue::Sparse(_)
            | AttributeValue::Type(_)
            | AttributeValue::Floats(_)
            | AttributeValue::Ints(_)
            | AttributeValue::Strings(_)
            | AttributeValue::Tensors(_)
            | AttributeValue::Sparses(_)
            | AttributeValue::Types(_)
            | AttributeValue::Reference(_, _) => &mut [],
        }
    }
}
