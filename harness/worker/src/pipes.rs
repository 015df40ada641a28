//! One loop over all pipes of a worker.
//!
//! Sending a request, receiving its answer and emptying stdout and stderr go on side by side, so that a worker that does
//! these things in any order, or floods any of them, is never waited for at the wrong place.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use backend_api::protocol::{Frame, FrameDecoder, FrameError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Cancel;
use super::spawn::Spawned;
use super::tail::Tail;

/// Longest sleep before cancelling, the deadline and the end of the process are looked at again.
const SLICE: Duration = Duration::from_millis(50);
/// Bytes that are read or written at once.
const CHUNK: usize = 256 << 10;
/// Bytes that are still read of a dead worker's stderr: more than a pipe holds.
const REST: usize = 1 << 20;

/// Our ends of a worker's pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    requests: OwnedFd,
    answers: OwnedFd,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    /// The end of what came over stderr.
    pub(super) tail: Tail,
    chunk: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Stop {
    /// The time is up.
    Deadline,
    /// The run was cancelled.
    Cancelled,
    /// The channel was closed, or the process has ended; with the error if that was inside a frame.
    Closed(Option<FrameError>),
    /// What arrived is no answer.
    Wrong(String),
}

/// What a channel is like while nothing is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Idle {
    /// As it should be.
    Quiet,
    /// There are bytes that nobody asked for.
    Bytes,
    /// The worker closed it.
    Closed,
}

/// What is ready.
#[derive(Default)]
struct Ready {
    requests: bool,
    answers: bool,
    /// All that is ready of the answers is their end.
    closed: bool,
    stdout: bool,
    stderr: bool,
}

impl Pipes {
    /// Takes the pipes of a process, of whose stderr up to `stderr` bytes are kept.
    pub(super) fn new(spawned: Spawned, stderr: usize) -> (std::process::Child, Pipes) {
        let Spawned {
            child,
            requests,
            answers,
            stdout,
            stderr: errors,
        } = spawned;
        let (tail, chunk) = (Tail::new(stderr), vec![0; CHUNK]);
        (
            child,
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

    /// Sends a request and waits for one frame of up to `most` bytes of payload. `ended` says whether the process has ended,
    /// which counts even if something else keeps its pipes open.
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
            .map_err(|error| Stop::Wrong(error.to_string()))?;
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
            // Before looking what is ready: an answer may be the last thing that it did.
            let gone = ended();
            let left = deadline.saturating_duration_since(Instant::now());
            let ready = self.ready(
                !outgoing.is_done(),
                if gone { Duration::ZERO } else { left.min(SLICE) },
            );
            self.empty(&ready);
            if ready.requests {
                outgoing.write(&self.requests);
            }
            if ready.answers {
                match self.receive(&mut decoder)? {
                    Some(_) if !outgoing.is_done() => {
                        return Err(Stop::Wrong(
                            "an answer came before the request was read".to_owned(),
                        ));
                    }
                    Some(frame) => return Ok(frame),
                    None => {}
                }
            } else if gone {
                return Err(Stop::Closed(decoder.finish().err()));
            }
            if left.is_zero() {
                return Err(Stop::Deadline);
            }
        }
    }

    /// What the channel is like while nothing is asked.
    pub(super) fn idle(&mut self) -> Idle {
        let ready = self.ready(false, Duration::ZERO);
        self.empty(&ready);
        match (ready.answers, ready.closed) {
            (false, _) => Idle::Quiet,
            (true, false) => Idle::Bytes,
            (true, true) => Idle::Closed,
        }
    }

    /// Forgets what was printed so far.
    pub(super) fn forget_output(&mut self) {
        self.empty_rest();
        self.tail.clear();
    }

    /// Reads what is left in stdout and stderr.
    pub(super) fn empty_rest(&mut self) {
        for _ in 0..REST / CHUNK {
            let ready = self.ready(false, Duration::ZERO);
            if !ready.stdout && !ready.stderr {
                break;
            }
            self.empty(&ready);
        }
    }

    /// Waits until something is ready. Errors of `poll` (a signal, want of memory) are as if nothing were.
    fn ready(&self, sending: bool, most: Duration) -> Ready {
        let mut watched = vec![PollFd::new(&self.answers, PollFlags::IN)];
        // Only while there is something to send: a pipe that can be written to is always ready.
        watched.extend(sending.then(|| PollFd::new(&self.requests, PollFlags::OUT)));
        watched.extend(
            self.stdout
                .iter()
                .chain(&self.stderr)
                .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        );
        let timeout = Timespec {
            tv_sec: most.as_secs() as i64,
            tv_nsec: most.subsec_nanos().into(),
        };
        if poll(&mut watched, Some(&timeout)).is_err() {
            return Ready::default();
        }
        let closed = watched
            .first()
            .is_some_and(|answers| !answers.revents().contains(PollFlags::IN));
        let mut flags = watched.iter().map(|pipe| !pipe.revents().is_empty());
        let mut next = |watched: bool| watched && flags.next().unwrap_or(false);
        Ready {
            answers: next(true),
            closed,
            requests: next(sending),
            stdout: next(self.stdout.is_some()),
            stderr: next(self.stderr.is_some()),
        }
    }

    /// Takes a chunk of what was printed; keeps the end of stderr, nothing of stdout.
    fn empty(&mut self, ready: &Ready) {
        if let Some(pipe) = self.stdout.take_if(|_| ready.stdout) {
            self.stdout = read_some(&pipe, &mut self.chunk).is_some().then_some(pipe);
        }
        if let Some(pipe) = self.stderr.take_if(|_| ready.stderr) {
            let count = read_some(&pipe, &mut self.chunk);
            self.tail
                .push(self.chunk.get(..count.unwrap_or(0)).unwrap_or_default());
            self.stderr = count.is_some().then_some(pipe);
        }
    }

    /// Takes a chunk of the answer.
    fn receive(&mut self, decoder: &mut FrameDecoder) -> Result<Option<Frame>, Stop> {
        let wanted = decoder.missing().min(CHUNK);
        let buffer = self.chunk.get_mut(..wanted).unwrap_or_default();
        let Some(count) = read_some(&self.answers, buffer) else {
            return Err(Stop::Closed(decoder.finish().err()));
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        decoder
            .push(bytes)
            .map_err(|error| Stop::Wrong(error.to_string()))
    }
}

/// Reads what is there; `None` at the end or when the pipe is broken.
fn read_some(pipe: &OwnedFd, buffer: &mut [u8]) -> Option<usize> {
    match rustix::io::read(pipe, buffer) {
        Ok(0) => None,
        Ok(count) => Some(count),
        Err(Errno::AGAIN | Errno::INTR) => Some(0),
        Err(_) => None,
    }
}

/// What of a frame is still to be written.
struct Outgoing<'a> {
    parts: VecDeque<&'a [u8]>,
}

impl Outgoing<'_> {
    fn is_done(&self) -> bool {
        self.parts.is_empty()
    }

    /// Writes what fits. If the reader is gone, the rest is given up: what happened to it is learnt from the other pipe.
    fn write(&mut self, pipe: &OwnedFd) {
        let Some(part) = self.parts.front_mut() else {
            return;
        };
        match rustix::io::write(pipe, part.get(..CHUNK).unwrap_or(part)) {
            Ok(count) => *part = part.get(count..).unwrap_or_default(),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.parts.clear(),
        }
        while self.parts.front().is_some_and(|part| part.is_empty()) {
            self.parts.pop_front();
        }
    }
}
