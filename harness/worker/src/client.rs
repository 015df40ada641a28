//! One worker: started, greeted, called, and buried.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::{
    Answer, Frame, FrameError, Refusal, RefusalKind, Request, decode_answer, encode_request,
};
use backend_api::{BackendError, Description};
use rustix::process::Signal;
use tempfile::TempDir;

use super::evidence::{OomKills, allocation_failure};
use super::pipes::{Idle, Pipes, Stop};
use super::process::Process;
use super::spawn::spawn;
use super::{Cancel, WorkerExit, WorkerExitKind, WorkerSpec};

/// How long a worker that has closed its channel may take to end.
const CLOSING: Duration = Duration::from_secs(1);

/// A process that runs models. It is killed, with all that it started, when this is dropped.
#[derive(Debug)]
pub struct Worker {
    pub(super) spec: Arc<WorkerSpec>,
    description: Description,
    process: Process,
    pipes: Pipes,
    cancel: Cancel,
    next_id: u64,
    oom_kills: OomKills,
    exit: Option<WorkerExit>,
    /// Removed after the process, for fields are dropped in order.
    _scratch: TempDir,
}

/// Why there is no worker.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The executable cannot be started.
    #[error("backend `{name}`: cannot start `{command}`: {error}")]
    Spawn {
        /// The backend.
        name: String,
        /// The executable.
        command: String,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// It started, but died instead of answering the handshake.
    #[error("backend `{name}`: the handshake failed: {exit}")]
    Handshake {
        /// The backend.
        name: String,
        /// What it died of.
        #[source]
        exit: WorkerExit,
    },
    /// It answered that it cannot serve.
    #[error("backend `{name}`: {declined}")]
    Declined {
        /// The backend.
        name: String,
        /// Why.
        #[source]
        declined: Declined,
    },
}

impl StartError {
    /// Whether the run was cancelled, and nothing is known of the worker.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, StartError::Handshake { exit, .. } if exit.is_cancelled())
    }

    /// Whether the worker refuses an option that it was given.
    pub fn is_option(&self) -> bool {
        let option = |declined: &Declined| matches!(declined, Declined::Backend(BackendError::Option { .. }));
        matches!(self, StartError::Declined { declined, .. } if option(declined))
    }
}

/// Why a healthy worker did not do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Declined {
    /// The backend says why not.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The worker cannot take the request.
    #[error("the worker refuses the request: {0}")]
    Refused(#[from] Refusal),
}

/// The id of the first request.
const FIRST: u64 = 1;

impl Worker {
    /// Starts a worker and shakes hands with it.
    pub fn start(spec: Arc<WorkerSpec>, cancel: Cancel) -> Result<Worker, StartError> {
        let (name, command) = (spec.name.clone(), spec.command_line().0.display().to_string());
        let spawned = TempDir::with_prefix("onnx-worker-")
            .and_then(|scratch| Ok((spawn(&spec, scratch.path())?, scratch)));
        let (spawned, scratch) = match spawned {
            Ok(spawned) => spawned,
            Err(error) => return Err(StartError::Spawn { name, command, error }),
        };
        let (child, pipes) = Pipes::new(spawned, spec.limits.stderr);
        let oom_kills = OomKills::of_process(child.id());
        let mut worker = Worker {
            description: Description::default(),
            process: Process::new(child),
            pipes,
            cancel,
            next_id: FIRST,
            oom_kills,
            exit: None,
            _scratch: scratch,
            spec,
        };
        match worker.handshake() {
            Ok(Ok(description)) => {
                worker.description = description;
                Ok(worker)
            }
            Ok(Err(declined)) => Err(StartError::Declined { name, declined }),
            Err(exit) => Err(StartError::Handshake { name, exit }),
        }
    }

    /// Who answered the handshake.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The number of the process.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The most memory that the process has had resident, in bytes; `None` where the system does not tell.
    pub fn peak_memory(&self) -> Option<u64> {
        self.memory("VmHWM:")
    }

    /// The memory that the process has resident now, in bytes; `None` where the system does not tell.
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

    /// Whether the worker can be given a request: it lives, and nothing that nobody asked for lies on its channel.
    pub fn is_ready(&mut self) -> bool {
        self.exit.is_none() && !self.process.has_ended() && self.pipes.idle() == Idle::Quiet
    }

    /// Sends a request and waits for its answer until the deadline. After an exit every call gives the same exit.
    ///
    /// A request that does not fit into a frame is refused here, without being sent.
    pub fn call(&mut self, request: Request, deadline: Instant) -> Result<Answer, WorkerExit> {
        if let Some(exit) = &self.exit {
            return Err(exit.clone());
        }
        let (id, during, began) = (self.next_id, request.name(), Instant::now());
        self.next_id += 1;
        let frame = match encode_request(id, request) {
            Ok(frame) => frame,
            Err(error) => {
                let message = format!("not sent: {error}");
                return Ok(Answer::Refused(Refusal {
                    reason: RefusalKind::TooLong,
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
        // What a worker says before the first request tells why it does not answer it.
        if id > FIRST {
            self.pipes.forget_output();
        }
        let (process, most) = (&self.process, self.spec.limits.answer);
        let frame = self
            .pipes
            .exchange(request, most, deadline, &self.cancel, || process.has_ended())?;
        let (answered, answer) = decode_answer(frame).map_err(|error| Stop::Wrong(error.to_string()))?;
        if answered != id {
            return Err(Stop::Wrong(format!(
                "the answer has id {answered}, the request had {id}"
            )));
        }
        if !answer.can_answer(during) {
            return Err(Stop::Wrong(format!(
                "`{}` cannot answer `{during}`",
                answer.name()
            )));
        }
        // A second answer would be taken for that of the next request, which somebody else may send.
        if self.pipes.idle() == Idle::Bytes {
            return Err(Stop::Wrong("more than the answer came".to_owned()));
        }
        Ok(answer)
    }

    /// Makes sure that the worker is dead, and says of what.
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
            Stop::Cancelled | Stop::Wrong(_) => false,
        };
        let complied = ended || self.process.terminate(self.spec.limits.grace);
        let status = self.process.end();
        self.pipes.empty_rest();
        let stderr = self.pipes.tail.text();
        let kind = match (stop, status) {
            (Stop::Cancelled, _) => WorkerExitKind::Cancelled,
            (Stop::Wrong(problem), _) => WorkerExitKind::Protocol { problem },
            (Stop::Closed(torn), Ok(status)) if ended => self.cause(status, torn, &stderr, oom_kills),
            (Stop::Deadline, Ok(status)) if ended => self.cause(status, None, &stderr, oom_kills),
            (Stop::Closed(_), _) => WorkerExitKind::Protocol {
                problem: "the channel was closed by a living worker".to_owned(),
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

    /// What a process died of that ended by itself.
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
        let killed = status.signal() == Some(Signal::KILL.as_raw());
        if let (true, Some(before), Some(after)) = (killed, oom_kills, self.oom_kills.count())
            && after > before
        {
            return WorkerExitKind::OutOfMemory {
                evidence: "the kernel's OOM killer struck in its control group".to_owned(),
            };
        }
        if let Some(launcher) = &self.spec.launcher {
            return launcher.cause(status);
        }
        match (status.signal(), torn) {
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
