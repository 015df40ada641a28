//! What is known of a value without running the model.

use std::rc::Rc;

use onnx_tensor::{DType, Tensor, ValueType};

use crate::extent::Expr;

/// The extents of a tensor.
pub type Shape = Vec<Expr>;

/// What is known of the extents and the elements of a value.
#[derive(Clone, Default, Debug)]
pub enum Fact {
    /// Nothing.
    #[default]
    Unknown,
    /// A tensor with these extents.
    Tensor(TensorFact),
    Sequence(Box<SequenceFact>),
    /// A value that may be absent.
    Optional(Box<Fact>),
}

/// What is known of a tensor of known rank.
#[derive(Clone, Debug)]
pub struct TensorFact {
    /// The extents.
    pub shape: Shape,
    /// The elements.
    pub content: Content,
}

/// What is known of the elements of a tensor.
#[derive(Clone, Default, Debug)]
pub enum Content {
    /// Nothing.
    #[default]
    Unknown,
    /// All of them.
    Constant(Tensor),
    /// Integers or booleans in row-major order, as expressions.
    Integers(Vec<Expr>),
    /// Real numbers in row-major order.
    Reals(Vec<f64>),
}

/// What is known of a sequence.
#[derive(Clone, Debug)]
pub struct SequenceFact {
    /// The number of elements.
    pub length: Expr,
    /// The extents of every element, if all have one rank. `None` for one that differs.
    pub element: Option<Vec<Option<Expr>>>,
    /// The elements, if each is known.
    pub items: Option<Vec<Fact>>,
}

/// A value: its type without extents, as far as it is known, and its extents.
#[derive(Clone, Default, Debug)]
pub(crate) struct Entry {
    pub kind: Option<ValueType>,
    pub fact: Fact,
    /// The input of the main graph whose elements these are, in any order.
    pub source: Option<Rc<str>>,
    /// The greatest element that there may be, of integers that are counted from the extents of inputs.
    pub most: Option<Expr>,
}

/// Longer lists of integers are not followed.
pub(crate) const MAX_LIST: usize = 256;

impl Fact {
    /// A tensor with these extents and unknown elements.
    pub fn of(shape: Shape) -> Fact {
        Fact::Tensor(TensorFact {
            shape,
            content: Content::Unknown,
        })
    }

    pub fn constant(tensor: Tensor) -> Fact {
        Fact::Tensor(TensorFact {
            shape: tensor.shape().iter().map(|&extent| extent_of(extent)).collect(),
            content: Content::Constant(tensor),
        })
    }

    /// The extents, if the value is a tensor of known rank.
    pub fn shape(&self) -> Option<&Shape> {
        match self {
            Fact::Tensor(tensor) => Some(&tensor.shape),
            Fact::Unknown | Fact::Sequence(_) | Fact::Optional(_) => None,
        }
    }

    /// The elements, if they are integers or booleans.
    pub fn integers(&self) -> Option<Vec<Expr>> {
        match self {
            Fact::Tensor(tensor) => tensor.content.integers(),
            Fact::Unknown | Fact::Sequence(_) | Fact::Optional(_) => None,
        }
    }
}

/// An extent that a tensor has. One that does not fit is beyond every limit.
pub(crate) fn extent_of(extent: usize) -> Expr {
    i64::try_from(extent).unwrap_or(i64::MAX).into()
}

impl Content {
    /// The elements as integers: booleans are 0 and 1.
    pub fn integers(&self) -> Option<Vec<Expr>> {
        match self {
            Content::Integers(list) => Some(list.clone()),
            Content::Constant(tensor) => {
                let list = integers(tensor)?;
                Some(list.into_iter().map(Expr::from).collect())
            }
            Content::Unknown | Content::Reals(_) => None,
        }
    }

    /// The elements as real numbers, if the elements are of a floating-point type.
    pub fn reals(&self) -> Option<Vec<f64>> {
        match self {
            Content::Reals(list) => Some(list.clone()),
            Content::Constant(tensor) => reals(tensor),
            Content::Unknown | Content::Integers(_) => None,
        }
    }
}

/// The elements of a short tensor of integers or booleans.
pub(crate) fn integers(tensor: &Tensor) -> Option<Vec<i64>> {
    if tensor.len() > MAX_LIST {
        return None;
    }
    macro_rules! cast {
        ($array:expr) => {
            $array.iter().map(|&value| i64::from(value)).collect()
        };
    }
    Some(match tensor {
        Tensor::Int64(array) => array.iter().copied().collect(),
        Tensor::Int32(array) => cast!(array),
        Tensor::Int16(array) => cast!(array),
        Tensor::Int8(array) => cast!(array),
        Tensor::Uint8(array) => cast!(array),
        Tensor::Uint16(array) => cast!(array),
        Tensor::Uint32(array) => cast!(array),
        Tensor::Bool(array) => cast!(array),
        Tensor::Uint64(array) => {
            return array.iter().map(|&value| i64::try_from(value).ok()).collect();
        }
        _ => return None,
    })
}

/// The elements of a short tensor of real numbers.
pub(crate) fn reals(tensor: &Tensor) -> Option<Vec<f64>> {
    if tensor.len() > MAX_LIST {
        return None;
    }
    Some(match tensor {
        Tensor::Float(array) => array.iter().map(|&value| f64::from(value)).collect(),
        Tensor::Double(array) => array.iter().copied().collect(),
        Tensor::Float16(array) => array.iter().map(|value| value.to_f64()).collect(),
        Tensor::Bfloat16(array) => array.iter().map(|value| value.to_f64()).collect(),
        _ => return None,
    })
}

/// The element type of a tensor type.
pub(crate) fn dtype_of(kind: Option<&ValueType>) -> Option<DType> {
    match kind? {
        ValueType::Tensor { dtype, .. } => Some(*dtype),
        _ => None,
    }
}

/// The type without extents.
pub(crate) fn shapeless(value_type: &ValueType) -> ValueType {
    match value_type {
        ValueType::Tensor { dtype, .. } => ValueType::tensor(*dtype),
        ValueType::Sparse { dtype, .. } => ValueType::Sparse {
            dtype: *dtype,
            shape: None,
        },
        ValueType::Sequence(element) => ValueType::Sequence(Box::new(shapeless(element))),
        ValueType::Optional(element) => ValueType::Optional(Box::new(shapeless(element))),
        ValueType::Map { key, value } => ValueType::Map {
            key: *key,
            value: Box::new(shapeless(value)),
        },
    }
}
