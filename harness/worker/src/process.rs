//! A worker's process group: whether it has ended, and its termination.

use std::io;
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::family;

/// The polling interval for the end of a process.
const STEP: Duration = Duration::from_millis(1);

/// The time that a process has to end after SIGKILL.
const KILLING: Duration = Duration::from_secs(2);

/// The leader of a process group, and with it the group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    status: Option<ExitStatus>,
    /// Whether it did not end after SIGKILL.
    is_left: bool,
}

impl Process {
    /// Takes a child that leads its own group.
    pub(super) fn new(child: Child) -> Process {
        Process {
            child,
            status: None,
            is_left: false,
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the leader has ended. It stays a zombie until [`Process::end`], so that the id of its group
    /// is not reused.
    pub(super) fn has_ended(&self) -> bool {
        if self.status.is_some() {
            return true;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.pid()
            .is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
    }

    /// Waits for the leader to end by itself. Returns whether it did.
    pub(super) fn wait_ended(&self, most: Duration) -> bool {
        let deadline = Instant::now() + most;
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(STEP);
        }
        true
    }

    /// Sends SIGTERM to the group and waits for the grace period. Returns whether the leader ended.
    pub(super) fn terminate(&self, grace: Duration) -> bool {
        self.signal(Signal::TERM);
        self.wait_ended(grace)
    }

    /// Kills the rest of the group and all other processes that it started, and reaps the leader.
    ///
    /// # Errors
    /// The leader does not end within two seconds of SIGKILL, because it waits in the kernel or another
    /// process traces it. It is left, and not waited for again.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        if self.is_left {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.signal(Signal::KILL);
        family::end(self.id());
        if !self.wait_ended(KILLING) {
            self.is_left = true;
            return Err(io::ErrorKind::TimedOut.into());
        }
        let status = self.child.wait()?;
        family::forget(self.id());
        self.status = Some(status);
        Ok(status)
    }

    /// Sends a signal to the whole group. It fails only if no process is left.
    fn signal(&self, signal: Signal) {
        if let Some(pid) = self.pid() {
            let _ = kill_process_group(pid, signal);
        }
    }

    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.child.id()).ok()?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.end());
    }
}
