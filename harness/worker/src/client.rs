//! The client of one worker: start, handshake, calls, termination.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::caps::{MAX_MESSAGE, shorten};
use backend_api::protocol::{
    Answer, Frame, FrameError, Refusal, RefusalKind, Request, Sending, decode_answer_until,
    encode_request_with,
};
use backend_api::{BackendError, Description};
use tempfile::TempDir;

use super::evidence::{OomKills, allocation_failure};
use super::pipes::{Pipes, Stop};
use super::process::Process;
use super::system::{Input, signal, spawn, was_killed};
use super::{Cancel, WorkerExit, WorkerExitKind, WorkerSpec, nest};

/// The time that a worker that has closed its channel has to exit.
const CLOSING: Duration = Duration::from_secs(1);

/// A process that runs models. It is killed, with all its child processes, on drop.
#[derive(Debug)]
pub struct Worker {
    pub(super) spec: Arc<WorkerSpec>,
    description: Description,
    /// Whether it keeps models by their digests.
    store: bool,
    process: Process,
    pipes: Pipes,
    cancel: Cancel,
    next_id: u64,
    oom_kills: OomKills,
    exit: Option<WorkerExit>,
    /// Removed after the process, because fields are dropped in order.
    _scratch: TempDir,
}

/// Why a worker did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The executable cannot be started.
    #[error("backend `{name}`: cannot start `{command}`: {error}")]
    Spawn {
        /// The backend.
        name: String,
        /// The executable.
        command: String,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// There is no folder for its temporary files.
    #[error(
        "backend `{name}`: cannot make a folder for temporary files in {}: set TMPDIR to a folder that can be written ({error})",
        folder.display()
    )]
    Temporary {
        /// The backend.
        name: String,
        /// Where it would be.
        folder: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// It started, but exited instead of answering the handshake.
    #[error("backend `{name}`: {}", handshake(exit))]
    Handshake {
        /// The backend.
        name: String,
        /// How it ended.
        #[source]
        exit: WorkerExit,
    },
    /// It answered that it cannot serve.
    #[error("backend `{name}`: {declined}")]
    Declined {
        /// The backend.
        name: String,
        /// The reason.
        #[source]
        declined: Declined,
    },
}

fn handshake(exit: &WorkerExit) -> String {
    if exit.is_cancelled() {
        "interrupted while it started".to_owned()
    } else {
        format!("the handshake failed: {exit}")
    }
}

impl StartError {
    /// Whether the run was cancelled, so that the state of the worker is unknown.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, StartError::Handshake { exit, .. } if exit.is_cancelled())
    }

    /// Whether the worker rejects an option.
    pub fn is_option(&self) -> bool {
        let option = |declined: &Declined| matches!(declined, Declined::Backend(BackendError::Option { .. }));
        matches!(self, StartError::Declined { declined, .. } if option(declined))
    }
}

/// Why a healthy worker did not execute a request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Declined {
    /// The backend returned an error.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The worker rejects the request.
    #[error("the worker refuses the request: {0}")]
    Refused(#[from] Refusal),
}

/// The id of the first request.
const FIRST: u64 = 1;

impl Worker {
    /// Starts a worker and performs the handshake.
    pub fn start(spec: Arc<WorkerSpec>, cancel: Cancel) -> Result<Worker, StartError> {
        let (name, command) = (spec.name.clone(), spec.command_line().0.display().to_string());
        let scratch = match nest::scratch() {
            Ok(scratch) => scratch,
            Err(error) => {
                let folder = std::env::temp_dir();
                return Err(StartError::Temporary { name, folder, error });
            }
        };
        let spawned = match spawn(&spec, scratch.path()) {
            Ok(spawned) => spawned,
            Err(error) => return Err(StartError::Spawn { name, command, error }),
        };
        let (process, pipes) = Pipes::new(spawned, spec.limits.stderr);
        let oom_kills = OomKills::of_process(process.id());
        let mut worker = Worker {
            description: Description::default(),
            store: false,
            process,
            pipes,
            cancel,
            next_id: FIRST,
            oom_kills,
            exit: None,
            _scratch: scratch,
            spec,
        };
        match worker.handshake() {
            Ok(Ok(hello)) => {
                worker.description = hello.backend;
                worker.store = hello.store && worker.spec.by_digest;
                Ok(worker)
            }
            Ok(Err(declined)) => Err(StartError::Declined { name, declined }),
            Err(exit) => Err(StartError::Handshake { name, exit }),
        }
    }

    /// Whether it got no request after the handshake, so that nothing before can have changed its state.
    pub fn is_unused(&self) -> bool {
        self.next_id <= FIRST + 1
    }

    /// The description from the handshake.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Whether it keeps models and files by their digests, so that they are sent once.
    pub fn has_store(&self) -> bool {
        self.store
    }

    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The peak resident memory of the process in bytes; `None` if the system does not report it.
    pub fn peak_memory(&self) -> Option<u64> {
        self.memory("VmHWM:")
    }

    /// Resets the peak of [`Self::peak_memory`] to the current resident memory. Returns whether the
    /// system supports this (proc(5), `clear_refs`) and the process runs on this machine.
    pub fn reset_peak_memory(&self) -> bool {
        let file = format!("/proc/{}/clear_refs", self.process_id());
        self.spec.launcher.is_none() && std::fs::write(file, "5").is_ok()
    }

    /// The current resident memory of the process in bytes; `None` if the system does not report it.
    pub fn resident_memory(&self) -> Option<u64> {
        self.memory("VmRSS:")
    }

    /// A line of `/proc/PID/status` (proc(5)), in bytes.
    fn memory(&self, name: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process_id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim()
            .strip_suffix("kB")?
            .trim()
            .parse::<u64>()
            .ok()?
            .checked_mul(1024)
    }

    /// Whether the worker can take a request: it is alive, and there are no unsolicited bytes on its
    /// channel.
    pub fn is_ready(&mut self) -> bool {
        self.exit.is_none() && !self.process.has_ended() && self.pipes.idle() == Input::Quiet
    }

    /// Sends a request and waits for its answer until the deadline. After an exit every call returns the
    /// same exit.
    ///
    /// A request that does not fit into a frame is rejected here, without being sent.
    ///
    /// A worker with a store is asked first whether it has the model and its files, and gets those that it
    /// does not have. What is missing again, because another worker removed it, is sent without a digest.
    pub fn call(&mut self, request: Request, deadline: Instant) -> Result<Answer, WorkerExit> {
        let has_files = matches!(
            request,
            Request::Load(_) | Request::Probe(_) | Request::Profile { .. }
        );
        if !(self.store && has_files) {
            return self.send(request, Sending::All, |_| {}, deadline);
        }
        let mut sent = BTreeSet::new();
        for _ in 0..2 {
            let sending = Sending::Digests(sent);
            match self.send(request.clone(), sending, |_| {}, deadline)? {
                Answer::Missing { sha256 } => sent = sha256.into_iter().collect(),
                answer => return Ok(answer),
            }
        }
        self.send(request, Sending::All, |_| {}, deadline)
    }

    /// Sends one frame and waits for its answer. `edit` may change the frame, for checks of the protocol.
    pub fn send(
        &mut self,
        request: Request,
        sending: Sending,
        edit: impl FnOnce(&mut Frame),
        deadline: Instant,
    ) -> Result<Answer, WorkerExit> {
        if let Some(exit) = &self.exit {
            return Err(exit.clone());
        }
        if let Some(folder) = request.folder().filter(|_| self.spec.launcher.is_some()) {
            let message = format!(
                "the external data in {} is too large to be sent to a worker on another machine: \
                 run the harness there",
                folder.display()
            );
            return Ok(Answer::Refused(Refusal {
                reason: RefusalKind::NotSent,
                message,
            }));
        }
        let (id, during, began) = (self.next_id, request.name(), Instant::now());
        self.next_id += 1;
        let frame = match encode_request_with(id, request, sending) {
            Ok(mut frame) => {
                edit(&mut frame);
                frame
            }
            Err(error) => {
                let message =
                    format!("the model with its values is too large for one frame of the protocol: {error}");
                return Ok(Answer::Refused(Refusal {
                    reason: RefusalKind::NotSent,
                    message,
                }));
            }
        };
        let oom_kills = self.oom_kills.count();
        let answer = self.exchange(id, during, &frame, deadline);
        answer.map_err(|stop| self.end_with(stop, during, began, oom_kills))
    }

    fn exchange(
        &mut self,
        id: u64,
        during: &str,
        request: &Frame,
        deadline: Instant,
    ) -> Result<Answer, Stop> {
        // Output before the first request explains why there is no answer.
        if id > FIRST {
            self.pipes.forget_output();
        }
        let (process, most) = (&self.process, self.spec.limits.answer);
        let frame = self
            .pipes
            .exchange(request, most, deadline, &self.cancel, || process.has_ended())?;
        let decoded = decode_answer_until(frame, Some(deadline));
        if Instant::now() >= deadline {
            return Err(Stop::Deadline);
        }
        let (answered, answer) = decoded.map_err(|error| Stop::Malformed(error.to_string()))?;
        if answered != id {
            return Err(Stop::Malformed(format!(
                "the answer has id {answered}, but the request has {id}"
            )));
        }
        if !answer.can_answer(during) {
            return Err(Stop::Malformed(format!(
                "`{}` is not an answer to `{during}`",
                answer.name()
            )));
        }
        // A second answer would be taken for that of the next request, which may be unrelated.
        if self.pipes.idle() == Input::Bytes {
            return Err(Stop::Malformed("there are bytes after the answer".to_owned()));
        }
        Ok(answer)
    }

    /// Ensures that the worker is dead, and determines how it ended.
    pub(super) fn end_with(
        &mut self,
        stop: Stop,
        during: &'static str,
        began: Instant,
        oom_kills: Option<u64>,
    ) -> WorkerExit {
        let ended = match &stop {
            Stop::Closed(_) => self.process.wait_ended(CLOSING),
            Stop::Deadline => self.process.has_ended(),
            Stop::Cancelled | Stop::Malformed(_) => false,
        };
        let complied = ended || self.process.terminate(self.spec.limits.grace);
        let status = self.process.end();
        self.pipes.empty_rest();
        let stderr = self.pipes.tail.text();
        let kind = match (stop, status) {
            (Stop::Cancelled, _) => WorkerExitKind::Cancelled,
            (Stop::Malformed(mut problem), _) => {
                // It may quote the answer.
                shorten(&mut problem, MAX_MESSAGE);
                WorkerExitKind::Protocol { problem }
            }
            (Stop::Closed(torn), Ok(status)) if ended => self.cause(status, torn, &stderr, oom_kills),
            (Stop::Deadline, Ok(status)) if ended => self.cause(status, None, &stderr, oom_kills),
            (Stop::Closed(_), _) => WorkerExitKind::Protocol {
                problem: "the worker closed the channel but did not exit".to_owned(),
            },
            (Stop::Deadline, _) => WorkerExitKind::Timeout {
                after: began.elapsed(),
                ignored_sigterm: !complied,
            },
        };
        let exit = WorkerExit { kind, during, stderr };
        self.exit = Some(exit.clone());
        exit
    }

    /// Determines how a process ended that exited by itself.
    fn cause(
        &self,
        status: ExitStatus,
        torn: Option<FrameError>,
        stderr: &str,
        oom_kills: Option<u64>,
    ) -> WorkerExitKind {
        let failed = allocation_failure(stderr).filter(|_| !status.success());
        if let Some(line) = failed {
            let limit = self
                .spec
                .limits
                .memory
                .filter(|_| self.spec.launcher.is_none())
                .map(|bytes| format!(", under a limit of {bytes} bytes"));
            return WorkerExitKind::OutOfMemory {
                evidence: format!("stderr: {line}{}", limit.unwrap_or_default()),
            };
        }
        let killed = was_killed(status);
        if let (true, Some(before), Some(after)) = (killed, oom_kills, self.oom_kills.count())
            && after > before
        {
            return WorkerExitKind::OutOfMemory {
                evidence: "the kernel's OOM killer killed a process in its control group".to_owned(),
            };
        }
        if let Some(launcher) = &self.spec.launcher {
            return launcher.cause(status);
        }
        match (signal(status), torn) {
            (Some(signal), _) => WorkerExitKind::Crash { signal },
            (None, Some(error)) if status.success() => WorkerExitKind::Protocol {
                problem: error.to_string(),
            },
            (None, _) => WorkerExitKind::Exit {
                code: status.code().unwrap_or_default(),
            },
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.exit.is_none() {
            self.process.terminate(self.spec.limits.grace);
        }
    }
}
