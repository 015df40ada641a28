//! Builds the workers, so that one command does the complete setup.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Why the workers could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Cargo does not start.
    #[error("cannot start cargo to build the workers: {0}")]
    Start(#[from] io::Error),
    /// Cargo failed and printed the reason.
    #[error("building the workers failed ({0}); see cargo's message above")]
    Failed(ExitStatus),
}

/// Builds the workers of the named backends, in the profile of this program's tests. Other names are
/// ignored: the start of the worker reports them.
///
/// Features of dependencies are selected as in `cargo build --workspace`, so that each dependency is
/// built once.
pub fn build(backends: &[&str]) -> Result<(), BuildError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let ours = |name: &&&str| root.join("backends").join(name).join("src/main.rs").is_file();
    let workers: Vec<String> = backends
        .iter()
        .filter(ours)
        .map(|name| format!("--bin=onnx-worker-{name}"))
        .collect();
    if workers.is_empty() {
        return Ok(());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--workspace", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .args(workers);
    // Cargo's output is hidden if everything is current, and shown if it builds for minutes.
    command.stdin(Stdio::null()).stdout(Stdio::null());
    match command.status()? {
        status if status.success() => Ok(()),
        status => Err(BuildError::Failed(status)),
    }
}
