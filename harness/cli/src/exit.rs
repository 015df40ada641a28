//! Exit codes, on which scripts rely.

use std::process::ExitCode;

/// The result of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Everything passed.
    Passed = 0,
    /// A result is worse than its baseline, below its floor, or changed in a named way (`diff`); a model
    /// violates the specification (`check`).
    Regression = 1,
    /// The command line, a configuration or a baseline is invalid; a file is not a model (`check`).
    Usage = 2,
    /// A latency is worse than the baseline.
    Slower = 3,
    /// No case was selected or is common to two runs, a case cannot be read, or a corpus is below its
    /// pinned count.
    NoCases = 4,
    /// The run was interrupted, or a worker could not be started again; `--resume` resumes it.
    Incomplete = 5,
    /// A backend is missing, or its handshake failed.
    BackendMissing = 6,
    /// The measurements are not enough for a decision.
    Inconclusive = 7,
    /// The baseline expects less than the result (with `--strict`).
    StaleBaseline = 8,
    /// The reference disagrees with the stored outputs of a case.
    DataDisagrees = 9,
    /// An internal error.
    Internal = 70,
    /// A file or standard output cannot be written.
    CannotWrite = 73,
}

impl Exit {
    /// This code, or `next` if this one is `Passed`.
    pub fn unless_passed(self, next: impl FnOnce() -> Exit) -> Exit {
        match self {
            Exit::Passed => next(),
            other => other,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
