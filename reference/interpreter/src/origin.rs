//! What random rounding does to the values of a run.

/// What random rounding does to a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Origin {
    /// It depends only on constants and shapes, and no rounding changed it.
    Settled,
    /// It is computed from exact inputs, and no rounding changed it.
    Exact,
    /// Rounding changed it, or what it is computed from.
    Rounded,
}
