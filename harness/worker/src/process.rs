//! A worker's process group: whether it has ended, and its termination.

use std::io;
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::system::{self, Group};

/// The polling interval for the end of a process.
const STEP: Duration = Duration::from_millis(1);

/// The time that a process has to end after SIGKILL.
const KILLING: Duration = Duration::from_secs(2);

/// The leader of a process group, and with it the group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Group,
    status: Option<ExitStatus>,
    /// Whether it did not end after SIGKILL.
    is_left: bool,
}

impl Process {
    /// Takes a child that leads its own group.
    pub(super) fn new(child: Child, group: Group) -> Process {
        Process {
            child,
            group,
            status: None,
            is_left: false,
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the leader has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.status.is_some() || system::has_ended(&self.child)
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

    /// Asks the group to end (SIGTERM) and waits for the grace period. Returns whether the leader ended;
    /// also true where the system has no such request, which nothing can ignore then.
    pub(super) fn terminate(&self, grace: Duration) -> bool {
        !self.group.ask_to_end() || self.wait_ended(grace)
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
        self.group.kill();
        if !self.wait_ended(KILLING) {
            self.is_left = true;
            return Err(io::ErrorKind::TimedOut.into());
        }
        let status = self.child.wait()?;
        self.group.forget();
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.end());
    }
}
