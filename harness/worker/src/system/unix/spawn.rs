//! Starts a worker's process: its pipes, its limits, and its termination with the harness.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread;

use backend_api::protocol::{FD_IN, FD_OUT};
use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::process::{Resource, Rlimit, setrlimit, setsid};

use super::super::{Spawned, command};
use super::{Group, LIMITS_MEMORY, Pipe, family, owner};
use crate::{Transport, WorkerSpec};

/// Starts a worker with `scratch` as its folder for temporary files.
pub(crate) fn spawn(spec: &WorkerSpec, scratch: &Path) -> io::Result<Spawned> {
    let (child_in, requests) = pipe()?;
    let (answers, child_out) = pipe()?;
    let (stderr, child_err) = pipe()?;
    let mut command = command(spec, scratch);
    command.env_remove(owner::VARIABLE).stderr(child_err);
    if spec.launcher.is_none() {
        // The folder of this process.
        command.env(owner::VARIABLE, scratch.parent().unwrap_or(scratch));
    }
    let (stdout, inherited) = match spec.transport {
        Transport::Inherited => {
            let (stdout, child_stdout) = pipe()?;
            command
                .env(FD_IN, child_in.as_raw_fd().to_string())
                .env(FD_OUT, child_out.as_raw_fd().to_string());
            command.stdin(Stdio::null()).stdout(child_stdout);
            (Some(stdout), vec![child_in, child_out])
        }
        Transport::Stdio => {
            command
                .env_remove(FD_IN)
                .env_remove(FD_OUT)
                .stdin(child_in)
                .stdout(child_out);
            (None, Vec::new())
        }
    };
    widen(&requests);
    widen(&answers);
    prepare_child(
        &mut command,
        inherited,
        spec.limits.memory.filter(|_| LIMITS_MEMORY),
    );
    for ours in [Some(&requests), Some(&answers), Some(&stderr), stdout.as_ref()]
        .into_iter()
        .flatten()
    {
        ioctl_fionbio(ours, true)?;
    }
    // Dropping the command closes the harness's copies of the child's ends, so that the channel ends with
    // the child.
    let connects = spec.launcher.is_some();
    let child = on_permanent_thread(move || family::start(connects, || command.spawn()))??;
    Ok(Spawned {
        group: Group { leader: child.id() },
        child,
        requests: Pipe(requests),
        answers: Pipe(answers),
        stdout: stdout.map(Pipe),
        stderr: Pipe(stderr),
    })
}

/// A pipe whose ends no process inherits: its end for reading, and that for writing.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}

/// Increases the capacity of a pipe beyond 64 KiB, to avoid a context switch for each 64 KiB of a large
/// model. A refusal of the system is ignored.
fn widen(pipe: &OwnedFd) {
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20);
    #[cfg(not(target_os = "linux"))]
    let _ = pipe;
}

/// Sets up what only the process itself can set, between fork and exec.
fn prepare_child(command: &mut Command, inherited: Vec<OwnedFd>, memory: Option<u64>) {
    let parent = rustix::process::getpid();
    let prepare = move || {
        // Its own session: it has no terminal, and its group can be killed as one.
        setsid()?;
        kill_with_parent(parent)?;
        setrlimit(
            Resource::Core,
            Rlimit {
                current: Some(0),
                maximum: Some(0),
            },
        )?;
        if let Some(bytes) = memory {
            setrlimit(
                Resource::Data,
                Rlimit {
                    current: Some(bytes),
                    maximum: Some(bytes),
                },
            )?;
        }
        for descriptor in &inherited {
            fcntl_setfd(descriptor, FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: the closure runs in the child between fork and exec, where only async-signal-safe functions
    // are allowed. It makes system calls (setsid, prctl, getppid, setrlimit, fcntl) through rustix and does
    // nothing else: it takes no lock, allocates nothing (its errors are error numbers), and what it borrows
    // was made before the fork.
    unsafe { command.pre_exec(prepare) };
}

/// Asks the kernel to kill this process when the harness ends, in any way.
#[cfg(target_os = "linux")]
fn kill_with_parent(parent: rustix::process::Pid) -> io::Result<()> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The harness may have ended before this call.
    if getppid() == Some(parent) {
        Ok(())
    } else {
        Err(rustix::io::Errno::SRCH.into())
    }
}

/// On other systems a worker notices the end of its channel.
#[cfg(not(target_os = "linux"))]
fn kill_with_parent(_parent: rustix::process::Pid) -> io::Result<()> {
    Ok(())
}

type Job = Box<dyn FnOnce() + Send>;

/// Runs `job` on a thread that lives as long as the harness. For the kernel, a child's parent is the
/// *thread* that started it: a worker started on a pool thread would be killed when that thread ends.
fn on_permanent_thread<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    static JOBS: OnceLock<mpsc::Sender<Job>> = OnceLock::new();
    let jobs = JOBS.get_or_init(|| {
        let (sender, receiver) = mpsc::channel::<Job>();
        thread::spawn(move || receiver.into_iter().for_each(|job| job()));
        sender
    });
    let (sender, result) = mpsc::channel();
    let ended = |_| io::Error::other("the thread that starts workers has ended");
    let job = move || drop(sender.send(job()));
    jobs.send(Box::new(job)).map_err(|_| ended(mpsc::RecvError))?;
    result.recv().map_err(ended)
}
