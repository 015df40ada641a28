//! Values and their types.

use std::collections::BTreeMap;
use std::fmt;

use crate::{DType, SparseTensor, StoredTensor, Tensor};

/// A value of any ONNX type.
#[derive(Clone, Debug)]
pub enum Value {
    /// A dense tensor.
    Tensor(Tensor),
    /// A sparse tensor.
    Sparse(SparseTensor),
    /// A dense tensor whose elements are in a file. Only constants of a model have this form, and only if its
    /// reader asks for it.
    Stored(StoredTensor),
    /// A list of values of one type.
    Sequence(Sequence),
    /// A map from keys to values.
    Map(Map),
    /// A value that may be absent.
    Optional {
        /// The type of the value.
        element: ValueType,
        /// The value, if present.
        value: Option<Box<Value>>,
    },
}

/// A list of values of one type.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The type of every element; shapes of tensors may differ.
    pub element: ValueType,
    /// The elements.
    pub values: Vec<Value>,
}

/// A map from keys (all integers or all strings) to values of one type.
#[derive(Clone, Debug)]
pub struct Map {
    /// The type of the keys.
    pub key: DType,
    /// The type of the values.
    pub element: ValueType,
    /// The entries, ordered by key.
    pub entries: BTreeMap<MapKey, Value>,
}

/// A key of a [`Map`]. Integer keys are i128, which holds every integer type of ONNX.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MapKey {
    /// An integer.
    Int(i128),
    String(String),
}

/// A declared extent of a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    /// A fixed extent.
    Fixed(usize),
    /// A named extent; equal names mean equal extents.
    Named(String),
    /// An unknown extent.
    Unknown,
}

/// The type of a value. `None` as shape means that the rank is unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ValueType {
    Tensor { dtype: DType, shape: Option<Vec<Dim>> },
    Sparse { dtype: DType, shape: Option<Vec<Dim>> },
    Sequence(Box<ValueType>),
    Map { key: DType, value: Box<ValueType> },
    Optional(Box<ValueType>),
}

impl ValueType {
    /// Returns a tensor type of unknown rank.
    pub fn tensor(dtype: DType) -> ValueType {
        ValueType::Tensor { dtype, shape: None }
    }

    /// Whether both types are the same, without their shapes.
    pub fn same_kind(&self, other: &ValueType) -> bool {
        match (self, other) {
            (ValueType::Tensor { dtype: a, .. }, ValueType::Tensor { dtype: b, .. })
            | (ValueType::Sparse { dtype: a, .. }, ValueType::Sparse { dtype: b, .. }) => a == b,
            (ValueType::Sequence(a), ValueType::Sequence(b))
            | (ValueType::Optional(a), ValueType::Optional(b)) => a.same_kind(b),
            (ValueType::Map { key: k, value: a }, ValueType::Map { key: l, value: b }) => {
                k == l && a.same_kind(b)
            }
            _ => false,
        }
    }
}

/// Writes the type as operator schemas do: `tensor(float)`, `seq(tensor(int64))`, `optional(tensor(string))`.
impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Tensor { dtype, .. } => write!(f, "tensor({dtype})"),
            ValueType::Sparse { dtype, .. } => write!(f, "sparse_tensor({dtype})"),
            ValueType::Sequence(element) => write!(f, "seq({element})"),
            ValueType::Map { key, value } => write!(f, "map({key}, {value})"),
            ValueType::Optional(element) => write!(f, "optional({element})"),
        }
    }
}

impl Value {
    /// The type of the value. Types of tensors include the shape.
    pub fn value_type(&self) -> ValueType {
        let fixed = |shape: &[usize]| Some(shape.iter().map(|&extent| Dim::Fixed(extent)).collect());
        match self {
            Value::Tensor(tensor) => ValueType::Tensor {
                dtype: tensor.dtype(),
                shape: fixed(tensor.shape()),
            },
            Value::Sparse(sparse) => ValueType::Sparse {
                dtype: sparse.values.dtype(),
                shape: fixed(&sparse.shape),
            },
            Value::Stored(stored) => ValueType::Tensor {
                dtype: stored.dtype,
                shape: fixed(&stored.shape),
            },
            Value::Sequence(sequence) => ValueType::Sequence(Box::new(sequence.element.clone())),
            Value::Map(map) => ValueType::Map {
                key: map.key,
                value: Box::new(map.element.clone()),
            },
            Value::Optional { element, .. } => ValueType::Optional(Box::new(element.clone())),
        }
    }

    /// Returns the tensor, if the value is one.
    pub fn as_tensor(&self) -> Option<&Tensor> {
        match self {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The bytes of memory that the elements take, including the text of strings.
    pub fn memory(&self) -> usize {
        match self {
            Value::Tensor(Tensor::String(array)) => {
                array.iter().map(|text| size_of::<String>() + text.len()).sum()
            }
            Value::Tensor(tensor) => tensor.len().saturating_mul(tensor.dtype().memory()),
            Value::Sparse(sparse) => {
                let bytes = |tensor: &Tensor| tensor.len().saturating_mul(tensor.dtype().memory());
                bytes(&sparse.values).saturating_add(bytes(&sparse.indices))
            }
            Value::Stored(_) => 0,
            Value::Sequence(sequence) => sequence.values.iter().map(Value::memory).sum(),
            Value::Map(map) => map
                .entries
                .values()
                .map(|value| value.memory() + size_of::<MapKey>())
                .sum(),
            Value::Optional { value, .. } => value.as_ref().map_or(0, |value| value.memory()),
        }
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}
