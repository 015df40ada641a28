//! What a terminal can show.

use std::env;
use std::io::IsTerminal;

/// The capabilities of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// ASCII without colour: for files, pipes and CI logs.
    Plain,
    /// Lines, without colour: for a terminal whose user set `NO_COLOR`.
    Lines,
    /// Lines and colour.
    Colour,
}

impl Look {
    /// What `stream` supports and the user permits (`NO_COLOR`, unless empty, disables colour).
    pub fn of(stream: &impl IsTerminal) -> Self {
        match (
            stream.is_terminal(),
            env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
        ) {
            (false, _) => Self::Plain,
            (true, true) => Self::Lines,
            (true, false) => Self::Colour,
        }
    }
}
