//! Worker processes that run models, and how they end.
//!
//! # Purpose
//! A backend under test may crash, hang, flood its outputs or exhaust the memory of the machine. Each of
//! these costs only the verdict of one case:
//!
//! - [`WorkerSpec`]: the executable with its options and limits.
//! - [`Worker`]: one process. [`Worker::call`] sends a request and returns the answer or the worker's exit.
//! - [`WorkerExit`]: the kinds of exit, determined from the exit status, the channel and the clock.
//! - [`Pool`]: several warm workers that share a list of jobs. A worker that ends is replaced, and its job
//!   is retried in a fresh worker before the exit counts as the job's result.
//! - [`Cancel`]: cancels a run.
//! - [`BackendArg`]: the argument of `--backend`, which becomes a [`WorkerSpec`].
//! - [`discover`]: lists the installed workers.
//! - [`place`]: reports where a case ran.
//!
//! # Scope
//! This crate knows no cases and no verdicts: `harness-conformance` decides which requests are sent and
//! judges the answers.
//!
//! # Invariants
//! - A worker leads its own session (a job object on Windows), and all processes that it starts are killed
//!   with it. Every worker is reaped, and none outlives its [`Worker`] or, on Linux and Windows, the
//!   harness.
//! - One loop serves the channel, stdout and stderr of a worker, so that none of them can block another.
//!   Only the last part of stderr is kept. There is no thread per worker that could leak.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod backend;
pub mod discover;
pub mod place;

mod calls;
mod cancel;
mod client;
mod evidence;
mod exit;
mod nest;
mod pipes;
mod pool;
mod process;
mod remote;
mod spec;
mod system;
mod tail;

pub use backend::BackendArg;
pub use calls::Reply;
pub use cancel::Cancel;
pub use client::{Declined, StartError, Worker};
pub use exit::{WorkerExit, WorkerExitKind};
pub use pool::{Completion, Failure, Outcome, Pool};
pub use remote::files::SendError;
pub use remote::{Launcher, Place, is_scheme as is_remote};
pub use spec::{DEFAULT_MEMORY, Limits, SpecError, Transport, WorkerSpec};
pub use system::LIMITS_MEMORY;
