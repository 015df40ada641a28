//! Limits of an inference.

/// Limits of an inference, so that a hostile model costs little.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Findings that are stored. Default 1000.
    pub findings: usize,
    /// Nesting depth of graphs and function calls that are entered. Default 40.
    pub depth: usize,
    /// Nodes that are visited; those of a body or function count each time. Default 300,000.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            findings: 1000,
            depth: 40,
            nodes: 300_000,
        }
    }
}

/// A longer sequence is mapped once for all elements.
pub(crate) const MAX_UNROLLED: usize = 16;
