//! Builds the workers, so that one command does the complete setup.

use std::io;
use std::path::Path;
use std::process::ExitStatus;

use xtask_launcher::Checkout;

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

/// Builds the workers of the named backends that are not there as their files are now, in the profile of this
/// program's tests. Other names are ignored: the start of the worker reports them.
///
/// # Errors
/// Cargo does not start, or fails.
pub fn build(backends: &[&str]) -> Result<(), BuildError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let ours = |name: &&&str| root.join("backends").join(name).join("src/main.rs").is_file();
    let workers: Vec<String> = backends
        .iter()
        .filter(ours)
        .map(|name| format!("onnx-worker-{name}"))
        .collect();
    let workers: Vec<&str> = workers.iter().map(String::as_str).collect();
    match Checkout::of_this_program()?.build(&workers)? {
        status if status.success() => Ok(()),
        status => Err(BuildError::Failed(status)),
    }
}
