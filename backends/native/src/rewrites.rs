//! The set of passes that run: all by default. Passes can be disabled to measure their effect or to locate a
//! fault.

use std::fmt;

/// The passes that run, by name. [`Settings`](crate::Settings) parses it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewrites {
    disabled: Vec<&'static str>,
}

impl Rewrites {
    /// All passes.
    pub const ALL: Rewrites = Rewrites { disabled: Vec::new() };

    /// All passes without these.
    pub fn without(disabled: Vec<&'static str>) -> Rewrites {
        Rewrites { disabled }
    }

    /// Whether a pass runs.
    pub fn want(&self, name: &str) -> bool {
        !self.disabled.contains(&name)
    }
}

/// Writes the names of the disabled passes, joined by `+`.
impl fmt::Display for Rewrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.disabled.join("+"))
    }
}
