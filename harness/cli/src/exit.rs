//! Exit codes, which scripts rely on.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// All that was asked for holds.
    Passed = 0,
    /// A result is worse than its baseline, below its floor, or changed in a way that is named (`diff`); a model breaks the specification (`check`).
    Regression = 1,
    /// The command line, a configuration or a baseline is invalid; a file is no model (`check`).
    Usage = 2,
    /// A latency is worse than the one that it is compared with.
    Slower = 3,
    /// No case was selected or is common to two runs, a case cannot be read, or a corpus is below its pinned count.
    NoCases = 4,
    /// The run was interrupted, or a worker could not be started again; `--resume` goes on with it.
    Incomplete = 5,
    /// A backend is missing, or its handshake failed.
    BackendMissing = 6,
    /// The measurements do not suffice to decide.
    Inconclusive = 7,
    /// The baseline says less than is true now (with `--strict`).
    StaleBaseline = 8,
    /// The reference disagrees with the stored outputs of a case.
    DataDisagrees = 9,
    /// A fault of this program.
    Internal = 70,
    /// A file or standard output cannot be written.
    CannotWrite = 73,
}

impl Exit {
    /// This, or where all holds so far, what `next` says.
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
