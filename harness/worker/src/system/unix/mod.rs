//! Linux and other Unix systems: sessions, signals and `poll`.

mod family;
mod guard;
mod owner;
mod spawn;

use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::Input;

pub(crate) use guard::guard;
pub(crate) use spawn::spawn;

/// The variables with the folder for temporary files.
pub(super) const TEMPORARY: [&str; 1] = ["TMPDIR"];

/// The signals that cancel a run.
pub(crate) const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Whether the memory of a worker can be limited. Other systems accept the limit and do not enforce it.
pub const LIMITS_MEMORY: bool = cfg!(target_os = "linux");

/// Whether a program can load a shared library: a static one, as for musl, cannot.
pub(crate) const LOADS_LIBRARIES: bool = !cfg!(target_feature = "crt-static");

/// The signal that ended a process.
pub(crate) fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Whether a process was killed from outside, as the kernel does when memory is exhausted.
pub(crate) fn was_killed(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::KILL.as_raw())
}

/// Whether there is a process with this number.
pub(crate) fn exists(process: u32) -> bool {
    pid(process).is_some_and(|process| test_kill_process(process) != Err(Errno::SRCH))
}

/// Whether a child has ended. It stays a zombie until it is waited for, so that the id of its group is not
/// reused.
pub(crate) fn has_ended(child: &Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    pid(child.id()).is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
}

fn pid(process: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(process).ok()?)
}

/// The session of a worker, and what it left to the harness.
#[derive(Debug)]
pub(crate) struct Group {
    leader: u32,
}

impl Group {
    /// Sends SIGTERM to the group. Returns whether the system knows such a request.
    pub(crate) fn ask_to_end(&self) -> bool {
        self.signal(Signal::TERM);
        true
    }

    /// Kills the group and all other processes that it started.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
        family::end(self.leader);
    }

    /// The leader was waited for: its number may belong to another process from now on.
    pub(crate) fn forget(&self) {
        family::forget(self.leader);
    }

    /// Sends a signal to the whole group. It fails only if no process is left.
    fn signal(&self, signal: Signal) {
        if let Some(pid) = pid(self.leader) {
            let _ = kill_process_group(pid, signal);
        }
    }
}

/// The harness's end of a pipe; it does not block.
#[derive(Debug)]
pub(crate) struct Pipe(OwnedFd);

impl Pipe {
    /// Reads the available data; `None` at the end or if the pipe is broken.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Option<usize> {
        match rustix::io::read(&self.0, buffer) {
            Ok(0) => None,
            Ok(count) => Some(count),
            Err(Errno::AGAIN | Errno::INTR) => Some(0),
            Err(_) => None,
        }
    }

    /// Writes as much as fits; `None` if the reader is gone.
    pub(crate) fn write(&self, bytes: &[u8]) -> Option<usize> {
        match rustix::io::write(&self.0, bytes) {
            Ok(count) => Some(count),
            Err(Errno::AGAIN | Errno::INTR) => Some(0),
            Err(_) => None,
        }
    }
}

/// Waits until one of the pipes is ready, at most for `most`. Returns the states of `inputs` in their order,
/// and whether bytes fit into `output`. Errors of `poll` (a signal, exhausted memory) are treated as not
/// ready.
pub(crate) fn wait(inputs: &[&Pipe], output: Option<&Pipe>, most: Duration) -> Option<(Vec<Input>, bool)> {
    let reading = inputs.iter().map(|pipe| PollFd::new(&pipe.0, PollFlags::IN));
    let writing = output.map(|pipe| PollFd::new(&pipe.0, PollFlags::OUT));
    let mut watched: Vec<PollFd> = reading.chain(writing).collect();
    let timeout = Timespec {
        tv_sec: most.as_secs() as i64,
        tv_nsec: most.subsec_nanos().into(),
    };
    poll(&mut watched, Some(&timeout)).ok()?;
    let state = |found: PollFlags| match (found.is_empty(), found.contains(PollFlags::IN)) {
        (true, _) => Input::Quiet,
        (false, true) => Input::Bytes,
        (false, false) => Input::Closed,
    };
    let (reading, writing) = watched.split_at(inputs.len());
    let states = reading.iter().map(|pipe| state(pipe.revents())).collect();
    Some((states, writing.iter().any(|pipe| !pipe.revents().is_empty())))
}
