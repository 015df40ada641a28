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
    /// The product of a shape does not fit the address space.
    #[error("shape {shape:?} has more elements than can be addressed")]
    TooLarge {
        /// The shape.
        shape: Vec<usize>,
    },
}
