//! The processes that a worker started, also those that left its process group.
//!
//! On Linux a process whose parent ends becomes a child of its nearest ancestor that is a *subreaper*
//! (prctl(2)): the harness makes itself one, so that a worker's process that detaches itself becomes a child
//! of the harness, which ends it with the worker. On other systems only the process group of a worker is
//! ended.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, getsid, kill_process, waitid};

use super::owner;

/// The time in which all processes of a family must end after SIGKILL. A process in the kernel, or one that
/// is traced, may take longer; it is left.
const PATIENCE: Duration = Duration::from_secs(2);

/// The pause before the processes are listed again.
const STEP: Duration = Duration::from_millis(2);

/// The children that this process started in sessions of their own.
#[derive(Default)]
struct Known {
    /// The running ones; their own handles reap them.
    children: BTreeSet<u32>,
    /// Whether one of them connected to another machine. Such a program may leave a process behind that
    /// serves further connections, as `ssh` with `ControlPersist` does.
    connects: bool,
}

/// Locked while a child is started and while orphans are searched, so that a new child is not taken for one.
static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// Prepares this process for workers: from now on their orphans become its children.
fn adopt() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without it, orphans become children of the first process of the system, as elsewhere.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(getpid()));
    });
}

/// Starts a child that makes a session of its own.
///
/// # Errors
/// Those of `start`.
pub(super) fn start(connects: bool, start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    adopt();
    let mut known = known();
    let child = start()?;
    let known = known.get_or_insert_default();
    known.children.insert(child.id());
    known.connects |= connects;
    Ok(child)
}

/// Kills what is left of the session of a worker, and every orphan that workers left to this process.
/// Returns when they have ended, or after two seconds.
pub(super) fn end(worker: u32) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = kill_members(worker);
        if left == 0 || Instant::now() >= deadline {
            return;
        }
        sleep(STEP);
    }
}

/// Forgets a child that was reaped.
pub(super) fn forget(child: u32) {
    if let Some(known) = known().as_mut() {
        known.children.remove(&child);
    }
}

/// Kills all members of the family of a worker, and returns their number.
fn kill_members(worker: u32) -> usize {
    let mut known = known();
    let left = members(worker, known.get_or_insert_default());
    for process in &left {
        let _ = kill_process(process.id, Signal::KILL);
        if process.is_child {
            // An adopted process stays in the table of the system until its parent asks for its status.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            let _ = waitid(WaitId::Pid(process.id), options);
        }
    }
    left.len()
}

/// A process that has to end.
struct Member {
    id: Pid,
    is_child: bool,
}

/// The processes in the session of a worker, without the worker itself, and the adopted ones: children in
/// another session than this process that it did not start.
fn members(worker: u32, known: &Known) -> Vec<Member> {
    let (own, session) = (getpid().as_raw_nonzero().get(), getsid(None));
    let session = session.map_or(0, |session| session.as_raw_nonzero().get());
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let member = |number: u32| {
        if number == worker || known.children.contains(&number) {
            return None;
        }
        let process = Stat::of(number)?;
        let is_child = process.parent == own;
        let is_other = is_child && process.session != session;
        let is_adopted = is_other && owner::is_own(number).unwrap_or(!known.connects);
        let in_session = i64::from(process.session) == i64::from(worker);
        // A zombie of another parent has ended, and only its parent can reap it.
        let counts = is_adopted || (in_session && !process.is_zombie);
        let id = Pid::from_raw(i32::try_from(number).ok()?)?;
        counts.then_some(Member { id, is_child })
    };
    numbers.filter_map(member).collect()
}

/// The relations of a process (proc(5), `/proc/PID/stat`).
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    is_zombie: bool,
    parent: i32,
    session: i32,
}

impl Stat {
    fn of(process: u32) -> Option<Stat> {
        Stat::parse(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
    }

    /// The fields after the name of the program, which may contain anything.
    fn parse(text: &str) -> Option<Stat> {
        let (_, fields) = text.rsplit_once(')')?;
        let mut fields = fields.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().ok()?;
        Some(Stat {
            is_zombie: matches!(state, "Z" | "X"),
            parent,
            session,
        })
    }
}

fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_relations_are_those_after_the_name() {
        for (text, expected) in [
            ("7 (sh) S 3 7 5 0 -1", Some((false, 3, 5))),
            ("7 (a) Z 1 2 3) Z 3 7 5 0 -1", Some((true, 3, 5))),
            ("7 (sh) S 3", None),
            ("", None),
        ] {
            let expected = expected.map(|(is_zombie, parent, session)| Stat {
                is_zombie,
                parent,
                session,
            });
            assert_eq!(Stat::parse(text), expected, "{text}");
        }
    }
}
