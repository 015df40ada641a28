//! Starting a worker's process: its pipes, limits, and what ends it with the harness.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread;

use backend_api::protocol::{FD_IN, FD_OUT};
use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Resource, Rlimit, setrlimit, setsid};

use super::{Transport, WorkerSpec};

/// A started process and our ends of its pipes, none of which blocks.
pub(super) struct Spawned {
    pub(super) child: Child,
    /// Requests go here.
    pub(super) requests: OwnedFd,
    /// Answers come from here.
    pub(super) answers: OwnedFd,
    /// What it prints, where that is not the channel.
    pub(super) stdout: Option<OwnedFd>,
    /// What it complains about.
    pub(super) stderr: OwnedFd,
}

/// Starts a worker, with `scratch` as its folder for temporary files.
pub(super) fn spawn(spec: &WorkerSpec, scratch: &std::path::Path) -> io::Result<Spawned> {
    let (child_in, requests) = pipe_with(PipeFlags::CLOEXEC)?;
    let (answers, child_out) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, child_err) = pipe_with(PipeFlags::CLOEXEC)?;
    let (program, arguments) = spec.command_line();
    let mut command = Command::new(program);
    // A backtrace would push the message that it belongs to out of the kept end of stderr.
    command
        .args(arguments)
        .env("RUST_BACKTRACE", "0")
        .envs(&spec.env)
        .env("TMPDIR", scratch)
        .stderr(child_err);
    let (stdout, inherited) = match spec.transport {
        Transport::Inherited => {
            let (stdout, child_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
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
    prepare_child(&mut command, inherited, spec.limits.memory);
    for ours in [Some(&requests), Some(&answers), Some(&stderr), stdout.as_ref()]
        .into_iter()
        .flatten()
    {
        ioctl_fionbio(ours, true)?;
    }
    // Our copies of the child's ends go with the command, so that the end of the child is the end of the channel.
    let child = on_lasting_thread(move || command.spawn())??;
    Ok(Spawned {
        child,
        requests,
        answers,
        stdout,
        stderr,
    })
}

/// Makes a pipe hold more than its 64 KiB, so that a large model does not take a change of process for each of them. It is
/// as well if the system does not want to.
fn widen(pipe: &OwnedFd) {
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20);
    #[cfg(not(target_os = "linux"))]
    let _ = pipe;
}

/// Sets up what a process can only do to itself, between fork and exec.
fn prepare_child(command: &mut Command, inherited: Vec<OwnedFd>, memory: Option<u64>) {
    let parent = rustix::process::getpid();
    let prepare = move || {
        // A session of its own: it has no terminal to read from or be stopped by, and its group can be killed as one.
        setsid()?;
        die_with(parent)?;
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
    // SAFETY: the closure runs in the child between fork and exec, where only async-signal-safe functions are allowed. It
    // makes system calls (setsid, prctl, getppid, setrlimit, fcntl) through rustix and does nothing else: it takes no lock,
    // allocates nothing (its errors are error numbers), and what it borrows was made before the fork.
    unsafe { command.pre_exec(prepare) };
}

/// Asks the kernel to kill this process when the harness ends, however that happens.
#[cfg(target_os = "linux")]
fn die_with(parent: rustix::process::Pid) -> io::Result<()> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The harness may have ended before the kernel was asked.
    match getppid() == Some(parent) {
        true => Ok(()),
        false => Err(rustix::io::Errno::SRCH.into()),
    }
}

/// Elsewhere a worker learns of it by the end of its channel.
#[cfg(not(target_os = "linux"))]
fn die_with(_parent: rustix::process::Pid) -> io::Result<()> {
    Ok(())
}

type Job = Box<dyn FnOnce() + Send>;

/// Does something on a thread that lasts as long as the harness. To the kernel, a child's parent is the *thread* that
/// started it: a worker started on a thread of a pool would be killed when that thread is done.
fn on_lasting_thread<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    static JOBS: OnceLock<mpsc::Sender<Job>> = OnceLock::new();
    let jobs = JOBS.get_or_init(|| {
        let (sender, receiver) = mpsc::channel::<Job>();
        thread::spawn(move || receiver.into_iter().for_each(|job| job()));
        sender
    });
    let (sender, result) = mpsc::channel();
    let gone = |_| io::Error::other("the thread that starts workers is gone");
    let job = move || drop(sender.send(job()));
    jobs.send(Box::new(job)).map_err(|_| gone(mpsc::RecvError))?;
    result.recv().map_err(gone)
}
