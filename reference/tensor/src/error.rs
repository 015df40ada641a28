//! What can be wrong with a tensor.

use crate::DType;

/// Why a tensor could not be made or read as asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TensorError {
    /// The tensor has another element type than the reader asked for.
    #[error("expected a tensor of {expected}, found {found}")]
    DType {
        /// What was asked for: a type's name, or that of a group of types.
        expected: &'static str,
        /// What the tensor holds.
        found: DType,
    },
    /// The number of elements differs from the product of the shape.
    #[error("shape {shape:?} asks for {expected} elements, {found} are given")]
    Count {
        /// The shape.
        shape: Vec<usize>,
        /// Its product.
        expected: usize,
        /// The elements at hand.
        found: usize,
    },
    /// The product of the extents of a shape that are not zero does not fit the address space.
    #[error("shape {shape:?} has more elements than can be addressed, extents of 0 left aside")]
    TooLarge {
        /// The shape.
        shape: Vec<usize>,
    },
    /// A sparse tensor names another number of places than it has values, or its indices have the wrong form.
    #[error("a sparse tensor of shape {shape:?} has {values} values and indices of shape {indices:?}")]
    SparseForm {
        /// The shape it stands for.
        shape: Vec<usize>,
        /// The number of its values.
        values: usize,
        /// The shape of its indices.
        indices: Vec<usize>,
    },
    /// An index of a sparse tensor lies outside of its shape.
    #[error("no element at {index:?} in the sparse tensor's shape {shape:?}")]
    SparseIndex {
        /// The coordinates, or the one position in row-major order.
        index: Vec<i64>,
        /// The shape it stands for.
        shape: Vec<usize>,
    },
    /// A sparse tensor of a type in which the elements that it leaves out have no value.
    #[error("{0} has no zero for the elements that a sparse tensor leaves out")]
    NoZero(DType),
}
