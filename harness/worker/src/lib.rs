//! Workers: the processes that run models, and how they exit.
//!
//! # What it is
//! A backend under test may crash, hang, flood its outputs or eat the machine's memory. Here each of these costs one case
//! its verdict and nothing else:
//!
//! - [`WorkerSpec`]: which executable, with which options and limits.
//! - [`Worker`]: one process. [`Worker::call`] sends a request and either gets the answer or says of what the worker died.
//! - [`WorkerExit`]: the kinds of end, each told from what can be observed: the exit status, the channel, the clock.
//! - [`Pool`]: several warm workers that share a list of jobs. A worker that dies is replaced, and its job is tried again
//!   in a worker of its own before the exit is held against it.
//! - [`Cancel`]: ends all of it early.
//!
//! - [`backend`]: from the text after `--backend` to a [`WorkerSpec`].
//! - [`discover`]: which workers are installed.
//! - [`place`]: the proof of where a case ran.
//!
//! # What it is not
//! It knows no case and no verdict: `harness-conformance` decides what is sent and what an answer means.
//!
//! # Invariants
//! - A worker is the leader of a session of its own; whatever it starts is killed with it. Every worker is reaped, and
//!   none outlives its [`Worker`], nor, on Linux, the harness.
//! - One loop serves the channel, stdout and stderr of a worker together, so that none of them can block another; of what
//!   is printed, only the end is kept. There is no thread per worker to be left behind.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod backend;
pub mod discover;
pub mod place;

mod calls;
mod cancel;
mod client;
mod corner;
mod evidence;
mod exit;
mod pipes;
mod pool;
mod process;
mod remote;
mod spawn;
mod spec;
mod tail;

pub use calls::Reply;
pub use cancel::Cancel;
pub use client::{Declined, StartError, Worker};
pub use corner::with_options;
pub use exit::{WorkerExit, WorkerExitKind};
pub use pool::{Completion, Failure, Outcome, Pool};
pub use remote::{Launcher, is_scheme as is_remote};
pub use spec::{DEFAULT_MEMORY, Limits, SpecError, Transport, WorkerSpec};
