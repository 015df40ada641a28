//! Fuzzing: hostile inputs for every surface that reads what others wrote.
//!
//! Two ways in:
//! - `cargo test -p onnx-fuzz` is the bounded smoke test: each surface gets a fixed number of inputs from a fixed seed.
//! - `cargo run -p onnx-fuzz --bin campaign -- --count 1000000` is the long search on models. It runs mutated models in worker
//!   processes and says of each whether it was refused, answered, or ended the process.
//!
//! # The way through it
//! - [`Seed`]: a case that mutation starts from. [`Recipe`]: a seed and a list of edits, which is all that is needed to
//!   make a [`Mutant`] again.
//! - `edit`: one edit of a model or of the values that it is fed; one file for each part of a model.
//! - `extreme`: the numbers, strings and shapes that edits write.
//! - [`Stage`], [`Runner`]: what a mutant goes through (decode, check, reference, native), and how each ended.
//! - [`surface`]: what reads bytes and text, searched in this process by mutation of sound inputs (crate `mutatis`).
//! - [`campaign`]: worker processes, their limits, and what is written of a culprit.
//!
//! # Invariants
//! - A mutant depends on its seed and its edits alone. The same numbers give the same bytes on every machine.
//! - An edit that finds nothing to change changes nothing, so an edit can be dropped from any list.

pub mod campaign;
mod edit;
mod extreme;
mod recipe;
mod seed;
mod stage;
pub mod surface;

pub use recipe::{Mutant, Recipe};
pub use seed::{Seed, SeedError, SeedInput, read_seeds, seeds, write_seeds};
pub use stage::{Outcome, Runner, Stage};
