//! Building the workers, so that one command does all the set-up.

use std::io;
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

/// Builds every executable of the workspace, in the profile of this program's tests: the same dependencies as
/// `cargo test --workspace` builds, so that the long ones are built once.
pub fn build() -> Result<(), BuildError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let mut command = Command::new(cargo);
    command.args(["build", "--workspace", "--bins", "--manifest-path", manifest]);
    // Cargo says nothing of interest when all is fresh, and is heard when it builds for minutes.
    command.stdin(Stdio::null()).stdout(Stdio::null());
    match command.status()? {
        status if status.success() => Ok(()),
        status => Err(BuildError::Failed(status)),
    }
}
