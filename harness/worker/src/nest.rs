//! What remains of workers when the harness ends without a chance to clean up (SIGKILL, a crash).
//!
//! All folders of workers are in one folder of this process, and all workers have a variable with its path.
//! A guard waits for the end of this process, kills every process with this variable and removes the folder.
//! If the guard was killed too, or the system has none, the next start of the harness removes the folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, TempDir};

use super::system::{PREFIX, exists, guard, process_of};

/// The folder and its guard.
struct Nest {
    folder: PathBuf,
    _guard: Option<Child>,
}

/// A new folder for a worker, below that of this process.
///
/// # Errors
/// The folder for temporary files cannot be written.
pub(super) fn scratch() -> io::Result<TempDir> {
    static NEST: Mutex<Option<Nest>> = Mutex::new(None);
    let mut nest = NEST.lock().unwrap_or_else(PoisonError::into_inner);
    // A cleaner of old temporary files may have removed it.
    if nest.as_ref().is_none_or(|nest| !nest.folder.is_dir()) {
        remove_abandoned(&std::env::temp_dir());
        *nest = Some(Nest::new()?);
    }
    let folder = nest.as_ref().map(|nest| nest.folder.clone()).unwrap_or_default();
    Builder::new().prefix("worker-").tempdir_in(folder)
}

impl Nest {
    fn new() -> io::Result<Nest> {
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let mut builder = Builder::new();
        let folder = builder.prefix(&prefix).tempdir()?.keep();
        // The guard works in another folder.
        let folder = fs::canonicalize(folder)?;
        Ok(Nest {
            _guard: guard(&folder),
            folder,
        })
    }
}

/// Removes the folders of processes that have ended.
fn remove_abandoned(temporary: &Path) {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let abandoned = name
            .to_str()
            .and_then(process_of)
            .is_some_and(|process| !exists(process));
        if abandoned {
            // A folder of another user cannot be removed, and a link is not followed.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn folders_of_processes_that_have_ended_are_removed() {
        let temporary = tempfile::tempdir().unwrap();
        let mut child = Command::new("true").spawn().unwrap();
        let ended = child.id();
        child.wait().unwrap();
        let own = std::process::id();
        let names = [
            (format!("{PREFIX}{ended}-a"), false),
            (format!("{PREFIX}{own}-a"), true),
            (format!("{PREFIX}x-a"), true),
            (format!("{PREFIX}{ended}"), true),
            ("another".to_owned(), true),
        ];
        for (name, _) in &names {
            fs::create_dir_all(temporary.path().join(name).join("deep")).unwrap();
        }
        remove_abandoned(temporary.path());
        for (name, stays) in names {
            assert_eq!(temporary.path().join(&name).exists(), stays, "{name}");
        }
    }
}
