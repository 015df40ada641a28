//! Whether a backend may accept a model that violates a rule.

use onnx_checker::Rule;

/// Whether a backend may accept a model that violates a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contract {
    /// It must be refused: its meaning is undefined or ambiguous.
    Refused,
    /// It may be accepted: its meaning is clear, every runtime accepts it, and such models exist.
    Unpredictable,
}

impl Contract {
    /// The contract of a rule.
    pub const fn of(rule: Rule) -> Contract {
        if rule.keeps_meaning() {
            Contract::Unpredictable
        } else {
            Contract::Refused
        }
    }
}
