//! How far a check goes.

/// Bounds on a check, so that a hostile model costs little.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Findings that are kept; more are only counted. Default 1000.
    pub findings: usize,
    /// Graphs and function calls inside one another that are entered. Default 100.
    pub depth: usize,
    /// Nodes that are typed, those of a function once for each combination of input types and attributes that it is called
    /// with. Default a million; calls beyond are left untyped.
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
