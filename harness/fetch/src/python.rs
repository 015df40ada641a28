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
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The list of packages cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    List {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A package is not pinned by hash.
    #[error(
        "`{package}` has no hash in onnx-tests/scripts/onnx.txt: add it by `uv pip compile --no-deps --generate-hashes`, and build \
         this program again"
    )]
    NoHash {
        /// The package, `name==version`.
        package: String,
    },
    /// A program ran and failed.
    #[error("{step} failed ({status}): {message}")]
    Failed {
        step: String,
        /// The exit status.
        status: String,
        /// The last lines of its stderr.
        message: String,
    },
}

/// The package `onnx` and what it needs, with the hashes of their files.
pub const ONNX: &str = include_str!("../../../onnx-tests/scripts/onnx.txt");

/// The package `onnxruntime`, whose schemas the table of contrib operators has, with the hashes of its files.
pub const ONNX_RUNTIME: &str = include_str!("../../../onnx-tests/scripts/onnxruntime.txt");

/// The beginning of a hash in a list of requirements.
const HASH: &str = "--hash=sha256:";

/// The part of a list of requirements with these packages (`name==version`) and their hashes.
///
/// # Errors
/// [`PythonError::NoHash`]: a package is not in the list, or without a hash.
pub fn pinned(packages: &[String], requirements: &str) -> Result<String, PythonError> {
    let blocks = requirements.replace("\\\n", " ");
    let name = |line: &str| {
        line.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_lowercase()
            .replace('_', "-")
    };
    let mut pinned = String::new();
    for package in packages {
        let is_pinned = |line: &&str| name(line) == name(package) && line.contains(HASH);
        let line = blocks
            .lines()
            .find(is_pinned)
            .ok_or_else(|| PythonError::NoHash {
                package: package.clone(),
            })?;
        pinned.push_str(line);
        pinned.push('\n');
    }
    Ok(pinned)
}

/// Creates a virtual environment in `folder` with the packages of a list of requirements: each with its
/// version and the hashes of its files, wheels only, without dependencies. Returns its interpreter.
///
/// # Errors
/// No Python, no network, no such package for this machine, or a file with another hash.
pub fn environment(folder: &Path, requirements: &str) -> Result<PathBuf, PythonError> {
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
    install.args(["--no-deps", "--only-binary=:all:", "--require-hashes", "-r"]);
    let list = folder.join("requirements.txt");
    std::fs::write(&list, requirements).map_err(|source| PythonError::List {
        path: list.clone(),
        source,
    })?;
    install.arg(&list);
    run(&format!("installing {}", list.display()), &mut install)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lockfile;
    use crate::artifact::Origin;

    #[test]
    fn every_package_that_computes_test_data_has_hashes() {
        let lock = Lockfile::embedded().unwrap();
        let mut computed = 0;
        for release in lock.releases() {
            let Origin::Materialised { packages } = &lock.corpus(&release.corpus()).unwrap().artifact.origin
            else {
                continue;
            };
            let pinned = pinned(packages, ONNX).unwrap();
            assert_eq!(pinned.lines().count(), packages.len());
            assert!(pinned.lines().all(|line| line.contains(HASH)), "{pinned}");
            computed += 1;
        }
        assert!(computed > 0);
    }

    #[test]
    fn a_package_without_a_hash_is_refused() {
        let list = "a-b==1.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nc==2\n";
        let of = |package: &str| pinned(&[package.to_owned()], list);
        assert_eq!(of("a_b==1.0").unwrap().matches(HASH).count(), 2);
        for package in ["a_b==1.1", "c==2", "d==1"] {
            let error = of(package).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{package}` has no hash")), "{error}");
        }
    }
}
