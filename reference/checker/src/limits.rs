//! Limits of a check.

/// Limits of a check, so that a hostile model costs little.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Findings that are stored; further ones are only counted. Default 1000.
    pub findings: usize,
    /// Nesting depth of graphs and function calls that are entered. Default 100.
    pub depth: usize,
    /// Nodes that are typed. Those of a function count once for each combination of input types and
    /// attributes with which it is called. Default one million; further calls are left untyped.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            findings: 1000,
            depth: 100,
            nodes: 1_000_000,
        }
    }
}
