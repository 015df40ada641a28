//! The result of checks, with examples of errors.

use serde::{Deserialize, Serialize};

/// The maximum number of examples of a part.
pub const EXAMPLES: usize = 8;

/// The result of one or several parts.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checked {
    /// The number of compared outputs.
    pub compared: u64,
    /// The number of inputs whose exact output is unknown or undefined.
    pub open: u64,
    /// The number of outputs that are not correctly rounded.
    pub wrong: u64,
    /// Examples of them.
    pub examples: Vec<Example>,
    /// Why there are no outputs; `None` if there are.
    pub declined: Option<String>,
}

/// An output that is not correctly rounded. Numbers are strings, because JSON has no NaN.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Example {
    /// The bit pattern of the input.
    pub code: u32,
    pub input: String,
    /// The output.
    pub found: String,
    /// The exact value, rounded once.
    pub expected: String,
}

impl Checked {
    /// Adds the result of another part.
    pub fn join(&mut self, part: &Checked) {
        self.compared += part.compared;
        self.open += part.open;
        self.wrong += part.wrong;
        let room = EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(part.examples.iter().take(room).cloned());
        self.declined = self.declined.take().or_else(|| part.declined.clone());
    }
}
