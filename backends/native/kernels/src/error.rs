//! What a kernel answers when its arguments do not fit together.

use crate::Isa;

/// A call that cannot be carried out; nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// A slice is shorter than its shape needs.
    #[error("{what}: {got} elements were given where {needed} are needed")]
    Length {
        /// The argument.
        what: &'static str,
        /// Elements that the shape needs.
        needed: usize,
        /// Elements given.
        got: usize,
    },
    /// Shapes or parameters contradict each other.
    #[error("{what}: {why}")]
    Geometry {
        /// The kernel or the argument.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// An instruction set was asked for that this processor has not.
    #[error("this processor cannot run the {0:?} kernels; choose one of Isa::available()")]
    Isa(Isa),
    /// A size does not fit in memory's address range.
    #[error("{0}: the size overflows")]
    Overflow(&'static str),
}

/// Shorthand for the results of this crate.
pub type Result<T> = std::result::Result<T, KernelError>;

/// Fails unless `got` elements are enough.
pub(crate) fn need(what: &'static str, needed: usize, got: usize) -> Result<()> {
    if got < needed {
        return Err(KernelError::Length { what, needed, got });
    }
    Ok(())
}

/// Fails with `why` unless `holds`.
pub(crate) fn ensure(holds: bool, what: &'static str, why: impl FnOnce() -> String) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(KernelError::Geometry { what, why: why() })
}

/// The product of sizes.
pub(crate) fn product(what: &'static str, sizes: &[usize]) -> Result<usize> {
    sizes
        .iter()
        .try_fold(1usize, |product, &size| product.checked_mul(size))
        .ok_or(KernelError::Overflow(what))
}
