//! Conformance: runs cases on backends, from files to verdicts.
//!
//! # Purpose
//! The library decodes the cases of `harness-corpus`, sends each to the workers of `harness-worker`,
//! compares the answers with the expected values (`harness-compare`), decides a verdict with its reason,
//! and writes an event log. Every report is made from that log.
//!
//! # Scope
//! It runs no model: a model runs in a worker process, so that code that runs models never shares a
//! process with the code that judges them. It renders nothing: `reports` does. It parses no command
//! line: `harness-cli` does.
//!
//! # Overview
//! ```text
//! corpus ──► case ──► observe ──► judge ──► run ──► run_record::Report ──► gate
//!  files     decoded   on a        verdict   all     from the log         against
//!            values    worker      + reason  of it                        a baseline
//! ```
//! - [`case`]: a decoded case: model, inputs, expected outputs, operators.
//! - [`forms`]: transformations of a model that must not change its answer. [`variants`]: cases in these
//!   forms. [`generated`]: cases from the schema table.
//! - [`rejections`]: which backends accept models that must be refused.
//! - [`rulings`]: which side is wrong if a backend and the witness of generated cases disagree.
//! - [`coverage`]: which part of the specification a model exercises. [`survey`]: the same for many
//!   cases.
//! - [`readings`]: which answer to an open question of the specification a backend follows.
//! - [`noise`]: the error that rounding alone causes in a complete model.
//! - [`reference`]: requests the bounds of rounding errors, and runs with random rounding, from a worker
//!   of the reference.
//! - [`referee`]: the runs of the reference that judge an answer, made when an answer needs them.
//! - [`observe`]: runs one case on one worker. [`judge`]: a pure function from an observation to a
//!   verdict.
//! - [`run`]: cases × backends, as events in the log.
//! - [`merge`]: merges runs of shards. [`gate`]: compares a report with a baseline.
//! - [`verify`]: checks whether a worker follows the protocol.
//!
//! # Invariants
//! - A faulty case affects only itself: a worker that ends is replaced, and its case is retried in a
//!   fresh worker.
//! - Every selected case gets a verdict on every backend, or the run is marked as incomplete.
//! - An earlier run is changed only after every argument is valid and every backend has answered; a
//!   folder belongs to one run at a time.
//! - A crash, a hang or an error never counts as unsupported, and an empty run is never a success.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod case;
pub mod claims;
pub mod coverage;
pub mod forms;
pub mod gate;
pub mod generated;
pub mod judge;
pub mod merge;
pub mod noise;
pub mod observe;
pub mod provider;
pub mod readings;
pub mod referee;
pub mod reference;
pub mod rejections;
pub mod rulings;
pub mod run;
pub mod survey;
pub mod variants;
pub mod verify;

mod declined;
