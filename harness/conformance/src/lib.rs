//! Conformance: cases on backends, from files to verdicts.
//!
//! # What it is
//! The library takes the cases of `harness-corpus`, decodes them, gives each to the workers of `harness-worker`, compares the
//! answers with the expected values (`harness-compare`), decides a verdict with its reason, and writes an event log. Every
//! report is made from that log.
//!
//! # What it is not
//! It runs no model: a model runs in a worker process, so that code that runs models never shares a process with the code that
//! judges them. It renders nothing: `reports` does. It parses no command line: `harness-cli` does.
//!
//! # Overview
//! ```text
//! corpus ──► case ──► observe ──► judge ──► run ──► reports::Report ──► gate
//!  files     decoded   on a        verdict   all     from the log         against
//!            values    worker      + reason  of it                        a baseline
//! ```
//! - [`case`]: a decoded case: model, inputs, expected outputs, operators.
//! - [`forms`]: a model in other forms that must not change its answer. [`variants`]: cases in these forms. [`generated`]: cases
//!   from the schema table.
//! - [`rejections`]: who takes models that must be refused.
//! - [`rulings`]: who is wrong where a backend and the witness of generated cases disagree.
//! - [`coverage`]: what a model exercises of what the specification allows. [`survey`]: what many cases do.
//! - [`readings`]: which answer to an open question of the specification a backend follows.
//! - [`noise`]: the error that rounding alone causes in a whole model.
//! - [`reference`]: asks a worker of the reference for the error that rounding can cause, and for runs with random rounding.
//! - [`observe`]: one case on one worker. [`judge`]: a pure function from an observation to a verdict.
//! - [`run`]: cases × backends, as events in the log.
//! - [`merge`]: runs of shards as one run. [`gate`]: a report against a baseline.
//! - [`verify`]: whether a worker speaks the protocol.
//!
//! # Invariants
//! - A case costs at most itself: a worker that dies is replaced, and its case is tried again alone.
//! - Every selected case gets a verdict on every backend, or the run is marked as incomplete.
//! - Nothing of an earlier run is touched before every argument is valid and every backend has answered; a folder belongs to
//!   one run at a time.
//! - A crash, a hang or an error is never counted as unsupported, and an empty run is never a success.

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
pub mod readings;
pub mod reference;
pub mod rejections;
pub mod rulings;
pub mod run;
pub mod survey;
pub mod variants;
pub mod verify;
