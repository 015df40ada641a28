//! Whether a backend may take a model that breaks a rule.

use onnx_checker::Rule;

/// Whether a backend may take a model that breaks a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contract {
    /// It must be refused: it has no meaning, or two.
    Refused,
    /// It may be taken: its meaning is plain, every runtime takes it, and real models are like this.
    Unpredictable,
}

impl Contract {
    /// The contract of a rule.
    pub const fn of(rule: Rule) -> Contract {
        match rule.keeps_meaning() {
            true => Contract::Unpredictable,
            false => Contract::Refused,
        }
    }
}
