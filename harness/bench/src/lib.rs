//! Latency: models × backends × thread counts, each turn in a process of its own, backends taking turns.
//!
//! A latency is worth something only if what was timed was right and was computed. So outputs of every turn are compared with
//! expected ones, inputs differ between runs, and a backend that answers from a cache is found by its times (`caching`). The way
//! through it:
//!
//! - [`Plan`] says what to measure, and how; [`run`] does it and writes [`Event::Latency`](reports::record::Event::Latency) for each
//!   series.
//! - `subject`: a model with a `ring` of inputs and the outputs that each must give: the stored ones of a light model where there are
//!   any, else those of the reference, which runs in a worker of its own (`oracle`).
//! - [`random_weights`]: the light models come with constant weights, which prove almost nothing; this bakes random ones.
//! - [`export`]: the same as cases in the official layout.
//! - `lane`: a backend at a thread count. `visit`: one process of it. `series`: a lane on a subject, in turns. `statistics`: from
//!   samples to figures.
//! - [`gate`]: whether a backend became slower: a sequential test with stated error rates, over pairs of turns.
//! - `machine`: what makes the machine noisy.
//!
//! # How it is measured
//! - Times are taken inside the worker, around the run itself: no encoding, no channel.
//! - Each turn has a fresh process, for the placement of memory differs between processes and stays within one.
//! - Inputs rotate and are not known at load; a turn begins with runs that are not counted, until times do not get shorter.
//! - *Interleaved*: in each round every backend has one turn, in random order, so that a slow spell of the machine hits all alike.
//!   *In blocks*: a backend has all its turns at once, and there is a pause before the next.
//! - Whether idle threads spin is one rule for all backends that can be told, and stands in the record: a backend that spins
//!   takes processor time from whoever runs after it.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod caching;
mod export;
pub mod gate;
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
mod statistics;
mod subject;
mod sweep;
mod team;
mod visit;

pub use bench::run;
pub use export::{ExportError, export};
pub use lane::processors;
pub use plan::{Old, Plan, RunOptions, Task};
pub use statistics::{conclusive, supports};
pub use subject::{OwnModel, ToMeasure, own_model};
pub use sweep::{Point, SweepError, sweep};
pub use team::Team;
