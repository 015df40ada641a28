//! What was checked, and examples of what is wrong.

use serde::{Deserialize, Serialize};

/// Most examples that a part keeps.
pub const EXAMPLES: usize = 8;

/// What a part, or several, came to.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checked {
    /// Outputs that were compared.
    pub compared: u64,
    /// Inputs whose output is not known or not defined.
    pub open: u64,
    /// Outputs that are not correctly rounded.
    pub wrong: u64,
    /// Some of them.
    pub examples: Vec<Example>,
    /// Why there are no outputs; none where there are.
    pub declined: Option<String>,
}

/// An output that is not correctly rounded. Numbers are text, since JSON has no NaN.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Example {
    /// The bit pattern of the input.
    pub code: u32,
    /// The input.
    pub input: String,
    /// The output.
    pub found: String,
    /// The exact value, rounded once.
    pub expected: String,
}

impl Checked {
    /// Adds another part.
    pub fn join(&mut self, part: &Checked) {
        self.compared += part.compared;
        self.open += part.open;
        self.wrong += part.wrong;
        let room = EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(part.examples.iter().take(room).cloned());
        self.declined = self.declined.take().or_else(|| part.declined.clone());
    }
}
