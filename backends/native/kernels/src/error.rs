//! Errors of kernels with inconsistent arguments.

use crate::Isa;

/// A call that cannot be executed; nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// A slice is shorter than its shape needs.
    #[error("{what}: expected {needed} elements, got {got}")]
    Length {
        /// The argument.
        what: &'static str,
        /// The number of elements that the shape needs.
        needed: usize,
        /// The number of elements given.
        got: usize,
    },
    /// Shapes or parameters are inconsistent.
    #[error("{what}: {why}")]
    Geometry {
        /// The kernel or the argument.
        what: &'static str,
        /// The problem.
        why: String,
    },
    /// This processor does not support the requested instruction set.
    #[error("this processor cannot run the {0:?} kernels; choose one of Isa::available()")]
    Isa(Isa),
    /// A size does not fit into the address space.
    #[error("{0}: the size overflows")]
    Overflow(&'static str),
    /// An allocation failed.
    #[error("{bytes} bytes of memory cannot be allocated")]
    Memory {
        /// The requested size in bytes.
        bytes: usize,
    },
}

/// The result of the functions of this crate.
pub type Result<T> = std::result::Result<T, KernelError>;

/// Fails unless `got` is at least `needed`.
pub(crate) fn need(what: &'static str, needed: usize, got: usize) -> Result<()> {
    if got < needed {
        return Err(KernelError::Length { what, needed, got });
    }
    Ok(())
}

/// Fails with `why()` unless `holds`.
pub(crate) fn ensure(holds: bool, what: &'static str, why: impl FnOnce() -> String) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(KernelError::Geometry { what, why: why() })
}

/// Returns the product of sizes. Fails if the product of the sizes other than 0 overflows, so that no product
/// of some of the sizes does.
pub(crate) fn product(what: &'static str, sizes: &[usize]) -> Result<usize> {
    let others = sizes.iter().filter(|size| **size > 0);
    let product = others.copied().try_fold(1, usize::checked_mul);
    let product = product.ok_or(KernelError::Overflow(what))?;
    Ok(if sizes.contains(&0) { 0 } else { product })
}

/// Returns the product of sizes, as the length of working memory for one call.
pub(crate) fn room(what: &'static str, sizes: &[usize]) -> Result<usize> {
    let len = product(what, sizes)?;
    ensure(len <= MAX_ROOM, what, || {
        format!("{len} elements of working memory are needed, the limit is {MAX_ROOM}")
    })?;
    Ok(len)
}

/// The maximum number of elements of working memory for padded copies: half a gibibyte of f32, far more than
/// the padding of usual images takes.
const MAX_ROOM: usize = 1 << 27;
