//! Errors of tensors.

use crate::DType;

/// Why a tensor cannot be made or read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TensorError {
    /// The element type of the tensor is not the expected one.
    #[error("expected a tensor of {expected}, found {found}")]
    DType {
        /// The name of the expected type, or a description of the expected group of types.
        expected: &'static str,
        /// The element type of the tensor.
        found: DType,
    },
    /// The number of elements differs from the product of the extents.
    #[error("shape {shape:?} has {expected} elements, got {found}")]
    Count {
        shape: Vec<usize>,
        /// Its product.
        expected: usize,
        /// The number of elements given.
        found: usize,
    },
    /// The product of the non-zero extents of a shape exceeds `isize::MAX`, or does so in bytes.
    #[error("shape {shape:?} is too large to address, extents of 0 not counted")]
    TooLarge { shape: Vec<usize> },
    /// The number of indices of a sparse tensor differs from the number of its values, or the indices have an
    /// invalid shape or type.
    #[error("a sparse tensor of shape {shape:?} has {values} values and indices of shape {indices:?}")]
    SparseForm {
        /// The shape of the sparse tensor.
        shape: Vec<usize>,
        /// The number of its values.
        values: usize,
        /// The shape of its indices.
        indices: Vec<usize>,
    },
    /// An index of a sparse tensor is outside of its shape.
    #[error("index {index:?} is outside of the sparse tensor's shape {shape:?}")]
    SparseIndex {
        /// The coordinates, or one position in row-major order.
        index: Vec<i64>,
        /// The shape of the sparse tensor.
        shape: Vec<usize>,
    },
    /// The element type of a sparse tensor has no zero for the elements that are not stored.
    #[error("a sparse tensor of {0} is undefined: the type has no zero for the elements that are not stored")]
    NoZero(DType),
}
