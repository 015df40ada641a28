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
    /// The system does not give so much memory.
    #[error("{bytes} bytes of memory cannot be had")]
    Memory {
        /// What was asked for.
        bytes: usize,
    },
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

/// The product of sizes. It fails where the sizes that are not 0 overflow, also beside a 0, so that no product of some
/// of them does.
pub(crate) fn product(what: &'static str, sizes: &[usize]) -> Result<usize> {
    let others = sizes.iter().filter(|size| **size > 0);
    let product = others.copied().try_fold(1, usize::checked_mul);
    let product = product.ok_or(KernelError::Overflow(what))?;
    Ok(if sizes.contains(&0) { 0 } else { product })
}

/// The product of sizes, as the length of working memory for one call.
pub(crate) fn room(what: &'static str, sizes: &[usize]) -> Result<usize> {
    let len = product(what, sizes)?;
    ensure(len <= MAX_ROOM, what, || {
        format!("{len} elements of working memory are needed, {MAX_ROOM} can be")
    })?;
    Ok(len)
}

/// The most elements of working memory for padded copies: half a gibibyte of f32, far more than the padding of any image
/// that is used takes.
const MAX_ROOM: usize = 1 << 27;
