//! Latency benchmarks: models × backends × thread counts, each turn in a process of its own, backends in
//! turns.
//!
//! A latency is meaningful only if the timed runs computed correct outputs. So the outputs of every turn
//! are compared with expected ones, inputs differ between runs, and a backend that answers from a cache
//! is detected by its times (`caching`). Overview:
//!
//! - [`Plan`] defines the measurements; [`run`] runs them and writes an
//!   [`Event::Latency`](run_record::Event::Latency) for each series.
//! - `subject`: a model with a `ring` of inputs and the expected outputs for each: the stored outputs of
//!   a light model if it has any, else those of the reference, which runs in a worker of its own
//!   (`oracle`).
//! - [`random_weights`]: the light models have constant weights, which are a weak test; this module
//!   replaces them by random ones.
//! - [`export`]: writes such models as cases in the official layout.
//! - `lane`: a backend at a thread count. `session`: one process of it. `series`: a lane on a subject,
//!   in turns. `statistics`: computes figures from samples.
//! - [`gate`]: decides whether a backend became slower: a sequential test with stated error rates, over
//!   pairs of turns (`gate_run`).
//! - [`latency`]: the latency of one backend on one model by the same rule, in a few seconds.
//! - `machine`: detects sources of noise on the machine.
//!
//! # Method
//! - Times are measured inside the worker, around the run: encoding and transport are excluded.
//! - Each turn has a fresh process, because the memory layout differs between processes but not within
//!   one.
//! - Inputs rotate and are unknown at load. A turn starts with runs that are not counted, until times do
//!   not decrease.
//! - *Interleaved*: in each round every backend has one turn, in random order, so that a slow period of
//!   the machine affects all alike. *In blocks*: a backend has all its turns in succession, and a pause
//!   precedes the next.
//! - Whether idle threads spin is one setting for all backends that have such an option; the record
//!   states it. A backend that spins takes processor time from the backend that runs next.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod brief;
mod caching;
mod export;
pub mod gate;
mod gate_run;
mod inputs;
mod lane;
mod machine;
mod oracle;
mod plan;
mod progress;
pub mod random_weights;
mod record;
mod ring;
mod series;
mod session;
mod statistics;
mod subject;
mod sweep;
mod team;

pub use bench::run;
pub use brief::{Latency, latency};
pub use export::{ExportError, export};
pub use lane::processors;
pub use plan::{Baseline, Plan, RunOptions, Task};
pub use statistics::{conclusive, supports};
pub use subject::{ToMeasure, UserModel, user_model};
pub use sweep::{Point, SweepError, sweep};
pub use team::Team;
