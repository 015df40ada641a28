//! Building the workers, so that one command does all the set-up.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Why the workers could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Cargo does not start.
    #[error("cannot start cargo to build the workers: {0}")]
    Start(#[from] io::Error),
    /// Cargo failed; it has said why.
    #[error("building the workers failed ({0}); cargo's own message stands above")]
    Failed(ExitStatus),
}

/// Builds the workers of the named backends, in the profile of this program's tests. A name that is none of the project's is
/// left out: whoever starts the worker says so.
///
/// The features of dependencies are chosen as `cargo build --workspace` chooses them, so that the long ones are built once.
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
    // Cargo says nothing of interest when all is fresh, and is heard when it builds for minutes.
    command.stdin(Stdio::null()).stdout(Stdio::null());
    match command.status()? {
        status if status.success() => Ok(()),
        status => Err(BuildError::Failed(status)),
    }
}
