//! Fuzzing: hostile inputs for every surface that reads external data.
//!
//! There are two programs:
//! - `cargo test -p onnx-fuzz` is the bounded smoke test: each surface gets a fixed number of
//!   inputs from a fixed seed.
//! - `cargo run -p onnx-fuzz --bin campaign -- --count 1000000` is the long search on models. It
//!   runs mutated models in worker processes and reports for each whether it was refused, answered,
//!   or ended the process.
//!
//! # Overview
//! - [`Seed`]: a case from which mutation starts. [`Recipe`]: a seed and a list of edits, from
//!   which a [`Mutant`] can be made again.
//! - `edit`: one edit of a model or of the values of its inputs; one file for each part of a model.
//! - `extreme`: the numbers, strings and shapes of edits.
//! - [`Stage`], [`Runner`]: the stages of a mutant (decode, check, reference, native), and their
//!   results.
//! - [`surface`]: code that reads bytes and text, searched in this process by mutation of valid
//!   inputs (crate `mutatis`).
//! - [`campaign`]: worker processes, their limits, and the files of culprits.
//!
//! # Invariants
//! - A mutant depends only on its seed and its edits. The same numbers give the same bytes on every
//!   machine.
//! - An edit that finds nothing to change changes nothing, so that an edit can be removed from any
//!   list.

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
