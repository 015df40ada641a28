//! The job object of a worker: its processes, their memory limit, and their end.

use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use std::ptr::{from_ref, null};

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOB_OBJECT_LIMIT_PROCESS_MEMORY,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};

/// The exit code of processes that are killed.
const KILLED: u32 = 1;

/// A worker and all processes that it starts. They end when this value, or the harness, does.
#[derive(Debug)]
pub(crate) struct Group(OwnedHandle);

impl Group {
    /// Puts a process into a new job, in which every process may have `memory` bytes of private memory.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn new(child: &Child, memory: Option<u64>) -> io::Result<Group> {
        // SAFETY: both arguments may be null.
        let job = unsafe { CreateJobObjectW(null(), null()) };
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new, open and owned by nobody else.
        let job = unsafe { OwnedHandle::from_raw_handle(job) };
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        let flags = &mut limits.BasicLimitInformation.LimitFlags;
        *flags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
        if let Some(bytes) = memory {
            *flags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
            limits.ProcessMemoryLimit = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        let size = size_of_val(&limits) as u32;
        // SAFETY: the handles are open, and the pointer is that of a value of the given size, which the
        // class of information names.
        let succeeded = unsafe {
            let limits = from_ref(&limits).cast::<c_void>();
            SetInformationJobObject(
                job.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                limits,
                size,
            ) != 0
                && AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) != 0
        };
        if succeeded {
            Ok(Group(job))
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Returns whether the system has a request to end for a process without a window: it has none.
    pub(crate) fn ask_to_end(&self) -> bool {
        false
    }

    /// Kills all processes of the job. It fails only if none is left.
    pub(crate) fn kill(&self) {
        // SAFETY: the handle is open.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), KILLED) };
    }

    /// Nothing is kept about processes that have ended.
    pub(crate) fn forget(&self) {}
}
