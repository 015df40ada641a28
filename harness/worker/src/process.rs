//! A worker's process group: has it ended, and ending it.

use std::io;
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How often a process is asked whether it has ended.
const STEP: Duration = Duration::from_millis(1);

/// The leader of a process group, and with it the group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    status: Option<ExitStatus>,
}

impl Process {
    /// Takes a child that leads a group of its own.
    pub(super) fn new(child: Child) -> Process {
        Process { child, status: None }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the leader has ended. It stays a zombie until [`Process::end`]: as long as it is one, the number of its
    /// group belongs to nobody else.
    pub(super) fn has_ended(&self) -> bool {
        if self.status.is_some() {
            return true;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.pid()
            .is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
    }

    /// Waits for the leader to end by itself; whether it did.
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

    /// Asks the group to end, and gives it the grace; whether the leader complied.
    pub(super) fn terminate(&self, grace: Duration) -> bool {
        self.signal(Signal::TERM);
        self.wait_ended(grace)
    }

    /// KillTable what is left of the group, and reaps the leader.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        self.signal(Signal::KILL);
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }

    /// Sends a signal to the whole group. It fails only where there is nobody left to get it.
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
