//! Windows: job objects and anonymous pipes. Compiled by the checks of the project, not run by them.

mod job;
mod pipe;

use std::io;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use std::process::{Child, ExitStatus};

use backend_api::protocol::{FD_IN, FD_OUT};
use signal_hook::consts::{SIGABRT, SIGFPE, SIGILL, SIGINT, SIGSEGV, SIGTERM};
use windows_sys::Win32::Foundation::{
    CloseHandle, EXCEPTION_ACCESS_VIOLATION, EXCEPTION_ILLEGAL_INSTRUCTION, EXCEPTION_INT_DIVIDE_BY_ZERO,
    EXCEPTION_STACK_OVERFLOW, STATUS_STACK_BUFFER_OVERRUN, WAIT_TIMEOUT,
};
use windows_sys::Win32::System::Threading::{OpenProcess, PROCESS_SYNCHRONIZE, WaitForSingleObject};

use super::{Spawned, command};
use crate::WorkerSpec;

pub(crate) use job::Group;
pub(crate) use pipe::{Pipe, wait};

/// The variables with the folder for temporary files.
pub(super) const TEMPORARY: [&str; 2] = ["TMP", "TEMP"];

/// The signals that cancel a run.
pub(crate) const ENDING: [i32; 2] = [SIGINT, SIGTERM];

/// Whether the memory of a worker can be limited.
pub const LIMITS_MEMORY: bool = true;

/// Whether a program can load a shared library.
pub(crate) const LOADS_LIBRARIES: bool = true;

/// The signal that another system would name for the status of a process that crashed.
pub(crate) fn signal(status: ExitStatus) -> Option<i32> {
    match status.code()? {
        EXCEPTION_ACCESS_VIOLATION | EXCEPTION_STACK_OVERFLOW => Some(SIGSEGV),
        EXCEPTION_ILLEGAL_INSTRUCTION => Some(SIGILL),
        EXCEPTION_INT_DIVIDE_BY_ZERO => Some(SIGFPE),
        // Also what `abort` and a panic without unwinding end with.
        STATUS_STACK_BUFFER_OVERRUN => Some(SIGABRT),
        _ => None,
    }
}

/// Whether a process was killed from outside: the system does not tell.
pub(crate) fn was_killed(_status: ExitStatus) -> bool {
    false
}

/// Whether there is a process with this number.
pub(crate) fn exists(process: u32) -> bool {
    // SAFETY: the call takes numbers; its result is a handle that is closed below, or null.
    let handle = unsafe { OpenProcess(PROCESS_SYNCHRONIZE, 0, process) };
    if handle.is_null() {
        return false;
    }
    // SAFETY: the handle is open, and is closed once.
    unsafe {
        let waited = WaitForSingleObject(handle, 0);
        CloseHandle(handle);
        waited == WAIT_TIMEOUT
    }
}

/// Whether a child has ended.
pub(crate) fn has_ended(child: &Child) -> bool {
    // SAFETY: the child owns an open handle of its process.
    unsafe { WaitForSingleObject(child.as_raw_handle(), 0) != WAIT_TIMEOUT }
}

/// The guard of the folder of this process: none, because the job object of each worker ends with this
/// process. The next start removes the folder.
pub(crate) fn guard(_folder: &Path) -> Option<Child> {
    None
}

/// Starts a worker with `scratch` as its folder for temporary files. Its channel is stdin and stdout: no
/// other handle of the harness has a number in another process.
///
/// A process that the worker starts before it is put into its job object does not end with it.
pub(crate) fn spawn(spec: &WorkerSpec, scratch: &Path) -> io::Result<Spawned> {
    let (child_in, requests) = pipe::outgoing()?;
    let (answers, child_out) = pipe::incoming()?;
    let (stderr, child_err) = pipe::incoming()?;
    let mut command = command(spec, scratch);
    command
        .env_remove(FD_IN)
        .env_remove(FD_OUT)
        .stdin(child_in)
        .stdout(child_out)
        .stderr(child_err);
    let mut child = command.spawn()?;
    let group = Group::new(&child, spec.limits.memory).inspect_err(|_| {
        let _ = child.kill();
    })?;
    Ok(Spawned {
        child,
        group,
        requests,
        answers,
        stdout: None,
        stderr,
    })
}
