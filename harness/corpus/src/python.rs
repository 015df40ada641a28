//! Temporary Python environments for scripts that need the `onnx` package.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why a Python step failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PythonError {
    /// A program does not exist or cannot be started.
    #[error("cannot start `{program}` ({source}): install Python 3.11 or newer with venv and pip")]
    Start {
        /// The program.
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// A program ran and failed.
    #[error("{step} failed ({status}): {message}")]
    Failed {
        /// The step.
        step: String,
        /// The exit status.
        status: String,
        /// The last lines of its stderr.
        message: String,
    },
}

/// Creates a virtual environment in `folder` with `packages` (`name==version`, wheels only, without
/// dependencies); returns its interpreter.
///
/// # Errors
/// No Python, no network, or no such package for this machine.
pub fn environment(folder: &Path, packages: &[impl AsRef<str>]) -> Result<PathBuf, PythonError> {
    run(
        "creating a Python environment",
        Command::new("python3").args(["-m", "venv"]).arg(folder),
    )?;
    let python = interpreter(folder);
    let mut install = Command::new(&python);
    install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
    ]);
    install.args(["--no-deps", "--only-binary=:all:"]);
    install.args(packages.iter().map(AsRef::as_ref));
    let names: Vec<&str> = packages.iter().map(AsRef::as_ref).collect();
    run(&format!("installing {}", names.join(", ")), &mut install)?;
    Ok(python)
}

/// The interpreter of the virtual environment in `folder`.
pub fn interpreter(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    })
}

/// Like [`run`], for a step that takes minutes: its output goes to this process's stderr immediately.
///
/// # Errors
/// A program does not start or fails.
pub fn stream(step: &str, command: &mut Command) -> Result<(), PythonError> {
    command.stdin(Stdio::null()).stdout(Stdio::from(io::stderr()));
    let ended = command.status().map_err(|source| PythonError::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })?;
    if ended.success() {
        return Ok(());
    }
    Err(PythonError::Failed {
        step: step.to_owned(),
        status: ended.to_string(),
        message: "see the lines above".to_owned(),
    })
}

/// Runs a step to its end, with empty stdin.
///
/// # Errors
/// A program does not start or fails, with the last lines of its stderr.
pub fn run(step: &str, command: &mut Command) -> Result<(), PythonError> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| PythonError::Start {
            program: command.get_program().to_string_lossy().into_owned(),
            source,
        })?;
    if output.status.success() {
        return Ok(());
    }
    Err(PythonError::Failed {
        step: step.to_owned(),
        status: output.status.to_string(),
        message: stderr_tail(&output.stderr),
    })
}

/// The last lines of a program's stderr, joined, which contain the reason.
pub fn stderr_tail(stderr: &[u8]) -> String {
    const LINES: usize = 8;
    let stderr = String::from_utf8_lossy(stderr);
    let lines: Vec<_> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let kept = lines.iter().skip(lines.len().saturating_sub(LINES)).copied();
    kept.collect::<Vec<_>>().join(" | ")
}
