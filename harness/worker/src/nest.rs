//! What remains of workers when the harness ends without a chance to clean up (SIGKILL, a crash).
//!
//! All folders of workers are in one folder of this process, and all workers have a variable with its path.
//! A guard, a small shell script, waits for the end of a pipe that only the harness holds, then kills every
//! process with this variable and removes the folder. If the guard was killed too, the next start of the
//! harness removes the folder.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;
use rustix::process::{Pid, getpid, setsid, test_kill_process};
use tempfile::{Builder, TempDir};

use super::family;
use super::owner::{PREFIX, VARIABLE, process_of};

/// The value of the variable of a guard, which belongs to no worker.
const GUARDS: &str = "guard";

/// `$1` is the folder. A process whose environment cannot be read belongs to another user.
const GUARD: &str = r#"
cat >/dev/null
for try in 1 2 3 4 5; do
  left=$(grep -lsF "ONNX_CONFORMANCE_NEST=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | grep -vx "$$")
  [ -n "$left" ] || break
  kill -9 $left 2>/dev/null
done
rm -rf -- "$1"
"#;

/// The folder and its guard.
struct Nest {
    folder: PathBuf,
    /// Its standard input is the pipe: it closes with this process.
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

/// The folder of this process, of which `scratch` is a part.
pub(super) fn of(scratch: &Path) -> &OsStr {
    scratch.parent().unwrap_or(scratch).as_os_str()
}

impl Nest {
    fn new() -> io::Result<Nest> {
        let prefix = format!("{PREFIX}{}-", getpid().as_raw_nonzero());
        let mut builder = Builder::new();
        let folder = builder.prefix(&prefix).tempdir()?.keep();
        // The guard works in another folder.
        let folder = fs::canonicalize(folder)?;
        let guard = guard(&folder);
        Ok(Nest {
            folder,
            // Without a shell, the next start cleans up.
            _guard: guard.ok(),
        })
    }
}

/// Starts the guard in a session of its own, so that a signal to the terminal does not end it.
fn guard(folder: &Path) -> io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", GUARD, "onnx-conformance-guard"])
        .arg(folder)
        .env(VARIABLE, GUARDS)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // SAFETY: the closure runs in the child between fork and exec and makes one system call (setsid), which
    // is async-signal-safe; its error is a number.
    unsafe { command.pre_exec(|| Ok(setsid().map(drop)?)) };
    family::start(false, || command.spawn())
}

/// Removes the folders of processes that have ended.
fn remove_abandoned(temporary: &Path) {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let abandoned = name.to_str().and_then(process_of).is_some_and(has_ended);
        if abandoned {
            // A folder of another user cannot be removed, and a link is not followed.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn has_ended(process: Pid) -> bool {
    test_kill_process(process) == Err(Errno::SRCH)
}

#[cfg(test)]
mod tests {
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
