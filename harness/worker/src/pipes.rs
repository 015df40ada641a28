//! One loop over all pipes of a worker.
//!
//! The loop sends a request, receives the answer and drains stdout and stderr concurrently, so that a
//! worker can do these in any order, and flood any pipe, without a deadlock.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use backend_api::protocol::{Frame, FrameDecoder, FrameError};

use super::Cancel;
use super::process::Process;
use super::system::{Input, Pipe, Spawned, wait};
use super::tail::Tail;

/// The maximum sleep before cancellation, the deadline and the end of the process are checked again.
const MAX_SLEEP: Duration = Duration::from_millis(50);
/// The number of bytes per read or write.
const CHUNK: usize = 256 << 10;
/// The maximum number of bytes that are read from a dead worker's stderr: more than a pipe holds.
const MAX_REST: usize = 1 << 20;

/// The harness's ends of a worker's pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    requests: Pipe,
    answers: Pipe,
    stdout: Option<Pipe>,
    stderr: Option<Pipe>,
    /// The last part of stderr.
    pub(super) tail: Tail,
    chunk: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Stop {
    /// The deadline has passed.
    Deadline,
    /// The run was cancelled.
    Cancelled,
    /// The channel is closed, or the process has ended; with the error if that happened inside a frame.
    Closed(Option<FrameError>),
    /// The received data is not a valid answer.
    Malformed(String),
}

/// The ready pipes.
#[derive(Default)]
struct Ready {
    requests: bool,
    answers: Input,
    stdout: bool,
    stderr: bool,
}

impl Pipes {
    /// Takes the pipes of a process. The last `stderr` bytes of stderr are kept.
    pub(super) fn new(spawned: Spawned, stderr: usize) -> (Process, Pipes) {
        let Spawned {
            child,
            group,
            requests,
            answers,
            stdout,
            stderr: errors,
        } = spawned;
        let (tail, chunk) = (Tail::new(stderr), vec![0; CHUNK]);
        (
            Process::new(child, group),
            Pipes {
                requests,
                answers,
                stdout,
                stderr: Some(errors),
                tail,
                chunk,
            },
        )
    }

    /// Sends a request and waits for one frame of up to `most` bytes of payload. `ended` returns whether
    /// the process has ended, which counts even if another process keeps its pipes open.
    pub(super) fn exchange(
        &mut self,
        request: &Frame,
        most: u64,
        deadline: Instant,
        cancel: &Cancel,
        ended: impl Fn() -> bool,
    ) -> Result<Frame, Stop> {
        let prelude = request
            .prelude()
            .map_err(|error| Stop::Malformed(error.to_string()))?;
        let mut outgoing = Outgoing {
            parts: [prelude.as_slice(), &request.header]
                .into_iter()
                .chain(request.payload.pieces().map(|piece| &piece[..]))
                .collect(),
        };
        let mut decoder = FrameDecoder::new(most);
        loop {
            if cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            // Before polling, because an answer may be the last action of the process.
            let has_ended = ended();
            let left = deadline.saturating_duration_since(Instant::now());
            let ready = self.ready(
                !outgoing.is_done(),
                if has_ended {
                    Duration::ZERO
                } else {
                    left.min(MAX_SLEEP)
                },
            );
            self.empty(&ready);
            if ready.requests {
                outgoing.write(&self.requests);
            }
            if ready.answers != Input::Quiet {
                match self.receive(&mut decoder)? {
                    Some(_) if !outgoing.is_done() => {
                        return Err(Stop::Malformed(
                            "the worker answered before it read the request".to_owned(),
                        ));
                    }
                    Some(frame) => return Ok(frame),
                    None => {}
                }
            } else if has_ended {
                return Err(Stop::Closed(decoder.finish().err()));
            }
            if left.is_zero() {
                return Err(Stop::Deadline);
            }
        }
    }

    /// The state of the channel without a request.
    pub(super) fn idle(&mut self) -> Input {
        let ready = self.ready(false, Duration::ZERO);
        self.empty(&ready);
        ready.answers
    }

    /// Clears the kept output.
    pub(super) fn forget_output(&mut self) {
        self.empty_rest();
        self.tail.clear();
    }

    /// Reads the rest of stdout and stderr.
    pub(super) fn empty_rest(&mut self) {
        for _ in 0..MAX_REST / CHUNK {
            let ready = self.ready(false, Duration::ZERO);
            if !ready.stdout && !ready.stderr {
                break;
            }
            self.empty(&ready);
        }
    }

    /// Waits until a pipe is ready.
    fn ready(&self, sending: bool, most: Duration) -> Ready {
        let inputs: Vec<&Pipe> = [Some(&self.answers), self.stdout.as_ref(), self.stderr.as_ref()]
            .into_iter()
            .flatten()
            .collect();
        // Only while there is data to send: a writable pipe is always ready.
        let output = sending.then_some(&self.requests);
        let Some((states, requests)) = wait(&inputs, output, most) else {
            return Ready::default();
        };
        let mut states = states.into_iter();
        let mut next = |watched: bool| {
            if watched {
                states.next().unwrap_or_default()
            } else {
                Input::Quiet
            }
        };
        Ready {
            requests,
            answers: next(true),
            stdout: next(self.stdout.is_some()) != Input::Quiet,
            stderr: next(self.stderr.is_some()) != Input::Quiet,
        }
    }

    /// Reads a chunk of the output. Keeps the last part of stderr and nothing of stdout.
    fn empty(&mut self, ready: &Ready) {
        if let Some(pipe) = self.stdout.take_if(|_| ready.stdout) {
            self.stdout = pipe.read(&mut self.chunk).is_some().then_some(pipe);
        }
        if let Some(pipe) = self.stderr.take_if(|_| ready.stderr) {
            let count = pipe.read(&mut self.chunk);
            self.tail
                .push(self.chunk.get(..count.unwrap_or(0)).unwrap_or_default());
            self.stderr = count.is_some().then_some(pipe);
        }
    }

    /// Reads a chunk of the answer.
    fn receive(&mut self, decoder: &mut FrameDecoder) -> Result<Option<Frame>, Stop> {
        let wanted = decoder.missing().min(CHUNK);
        let buffer = self.chunk.get_mut(..wanted).unwrap_or_default();
        let Some(count) = self.answers.read(buffer) else {
            return Err(Stop::Closed(decoder.finish().err()));
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        decoder
            .push(bytes)
            .map_err(|error| Stop::Malformed(error.to_string()))
    }
}

/// The unwritten part of a frame.
struct Outgoing<'a> {
    parts: VecDeque<&'a [u8]>,
}

impl Outgoing<'_> {
    fn is_done(&self) -> bool {
        self.parts.is_empty()
    }

    /// Writes as much as fits. If the reader is gone, the rest is dropped; the other pipe reports the
    /// cause.
    fn write(&mut self, pipe: &Pipe) {
        let Some(part) = self.parts.front_mut() else {
            return;
        };
        match pipe.write(part.get(..CHUNK).unwrap_or(part)) {
            Some(count) => *part = part.get(count..).unwrap_or_default(),
            None => self.parts.clear(),
        }
        while self.parts.front().is_some_and(|part| part.is_empty()) {
            self.parts.pop_front();
        }
    }
}
