//! The guard of the folder of this process, a small shell script: it waits for the end of a pipe that only
//! the harness holds, then kills every process whose environment names the folder and removes it.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::setsid;

use super::family;
use super::owner::VARIABLE;

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

/// Starts the guard in a session of its own, so that a signal to the terminal does not end it. Its standard
/// input is the pipe: it closes with this process. `None` without a shell; the next start cleans up then.
pub(crate) fn guard(folder: &Path) -> Option<Child> {
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
    let started: io::Result<Child> = family::start(false, || command.spawn());
    started.ok()
}
