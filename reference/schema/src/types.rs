//! The types that schemas allow for values, without shapes.

use std::fmt;

use onnx_tensor::{DType, ValueType};

/// A type in a schema's type set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SchemaType {
    /// `tensor(…)`.
    Tensor(DType),
    /// `sparse_tensor(…)`.
    SparseTensor(DType),
    /// `seq(…)`.
    Sequence(&'static SchemaType),
    /// `optional(…)`.
    Optional(&'static SchemaType),
    /// `map(key,value)`.
    Map(DType, &'static SchemaType),
}

impl SchemaType {
    /// Whether a value of this type belongs to the schema type; shapes are ignored.
    pub fn matches(&self, value: &ValueType) -> bool {
        match (self, value) {
            (SchemaType::Tensor(element), ValueType::Tensor { dtype, .. })
            | (SchemaType::SparseTensor(element), ValueType::Sparse { dtype, .. }) => element == dtype,
            (SchemaType::Sequence(element), ValueType::Sequence(inner))
            | (SchemaType::Optional(element), ValueType::Optional(inner)) => element.matches(inner),
            (SchemaType::Map(key, element), ValueType::Map { key: dtype, value }) => {
                key == dtype && element.matches(value)
            }
            _ => false,
        }
    }
}

/// Writes the type as ONNX does: `tensor(float)`, `seq(tensor(int64))`, `map(string,tensor(float))`.
impl fmt::Display for SchemaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaType::Tensor(dtype) => write!(f, "tensor({})", dtype.onnx_name()),
            SchemaType::SparseTensor(dtype) => write!(f, "sparse_tensor({})", dtype.onnx_name()),
            SchemaType::Sequence(element) => write!(f, "seq({element})"),
            SchemaType::Optional(element) => write!(f, "optional({element})"),
            SchemaType::Map(key, value) => write!(f, "map({},{value})", key.onnx_name()),
        }
    }
}
