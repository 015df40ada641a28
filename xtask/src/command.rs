//! Runs other programs.

use std::io;
use std::process::{Command, ExitStatus, Stdio};

/// Why a program gave no result.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It does not start.
    #[error("cannot start `{program}` ({source}): install it")]
    Start {
        /// The program.
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// It failed; `stderr` is empty if the user has seen it.
    #[error("{command}: {status} {stderr}")]
    Failed {
        /// The command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        stderr: String,
    },
    /// Its output is no text.
    #[error("{command}: the output is not UTF-8")]
    NotText {
        /// The command line.
        command: String,
    },
}

/// Runs a command and returns its stdout.
///
/// # Errors
/// It does not start, fails, or prints something that is not UTF-8.
pub fn output(command: &mut Command) -> Result<String, CommandError> {
    let output = command.output().map_err(|source| start(command, source))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(failed(command, output.status, stderr.trim()));
    }
    String::from_utf8(output.stdout).map_err(|_| CommandError::NotText {
        command: format!("{command:?}"),
    })
}

/// Runs a command that takes long; all its output goes to stderr at once.
///
/// # Errors
/// It does not start, or fails.
pub fn stream(command: &mut Command) -> Result<(), CommandError> {
    command.stdin(Stdio::null()).stdout(Stdio::from(io::stderr()));
    match command.status().map_err(|source| start(command, source))? {
        status if status.success() => Ok(()),
        status => Err(failed(command, status, "")),
    }
}

fn start(command: &Command, source: io::Error) -> CommandError {
    CommandError::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    }
}

fn failed(command: &Command, status: ExitStatus, stderr: &str) -> CommandError {
    CommandError::Failed {
        command: format!("{command:?}"),
        status,
        stderr: stderr.to_owned(),
    }
}
