//! The working folder of the process.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, io};

/// A process has one working folder.
static CHANGED: Mutex<()> = Mutex::new(());

/// Restores the folder, also after a panic.
struct Restore(PathBuf);

impl Drop for Restore {
    fn drop(&mut self) {
        // If the former folder is gone, nothing can be restored; no later step needs it.
        let _ = env::set_current_dir(&self.0);
    }
}

/// Calls `act` in a working folder, one call at a time.
///
/// # Errors
/// The folder does not exist, or the present one is unknown.
pub(crate) fn inside<R>(folder: &Path, act: impl FnOnce() -> R) -> io::Result<R> {
    let _only = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
    let _restore = Restore(env::current_dir()?);
    env::set_current_dir(folder)?;
    Ok(act())
}
