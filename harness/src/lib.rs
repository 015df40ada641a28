//! The harness: from test cases and backends to verdicts.
//!
//! # What it is
//! The library behind `cargo xtask` and the program `onnx-conformance`. It brings official tests of ONNX and local cases,
//! gives each to backends that run as processes of their own, compares what they answer with what is expected, judges, and
//! keeps a log from which all reports are made.
//!
//! # What it is not
//! It runs no model: that happens in workers, be it the reference, ONNX Runtime or somebody's plug-in, for the code that
//! runs a model never shares a process with the code that judges it. It renders nothing: a report is data (`reports`).
//!
//! # The way through it
//! ```text
//! corpus ──► case ──► observe ──► judge ──► run ──► reports::Report ──► gate
//!  files     decoded   on a        verdict   all     from the log         against
//!            values    worker      + reason  of it                        a baseline
//! ```
//! - [`corpus`]: pinned files, fetched and verified; cases as bytes.
//! - [`own`]: the cases that the project itself holds.
//! - [`python`]: environments for what only the `onnx` package can say.
//! - [`case`]: a case decoded: model, inputs, expected outputs, operators.
//! - [`worker`]: processes that run models, their pools, and how they exit.
//! - [`backend`]: what a person types after `--backend`; [`locale`]: what ONNX Runtime's strings need.
//! - [`bounds`]: how far rounding can lead, asked of the reference.
//! - [`observe`]: one case on one worker. [`compare`]: outputs against expected ones. [`judge`]: a pure function from what
//!   happened to a verdict.
//! - [`noise`]: what rounding alone makes of a whole model, and how a backend stands beside it.
//! - [`errata`]: cases whose stored data no backend can be held to.
//! - [`place`]: proof of where a case ran. [`policy`]: what differences are let pass, and for which reason.
//! - [`run`]: cases × backends, as events into the log.
//! - [`variants`]: cases again in forms that must not change the answer.
//! - [`coverage`]: what cases exercise of what the specification allows.
//! - [`mutate`]: the comparison, tested by planted faults.
//! - [`gate`]: a report against a baseline.
//! - [`bench`]: latencies, measured inside workers, counted only if the outputs of those very runs are right.
//! - [`pattern`]: which cases a person means, in every place where cases are named.
//! - [`cli`]: the commands and their exit codes. [`console`]: all that they write to a terminal.
//!
//! # Invariants
//! - A case costs at most itself: a worker that dies is replaced, and its case is tried again alone.
//! - Every selected case gets a verdict on every backend, or the run says that it is incomplete.
//! - Nothing of an earlier run is touched before all that was typed is known to be right and every backend has answered; one
//!   folder belongs to one run at a time.
//! - A crash, a hang or an error is never counted as unsupported, and an empty run is never a success.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod backend;
pub mod bench;
pub mod bounds;
pub mod case;
pub mod cli;
pub mod compare;
pub mod console;
pub mod corpus;
pub mod coverage;
pub mod errata;
pub mod gate;
pub mod generated;
pub mod judge;
pub mod locale;
pub mod mutate;
pub mod noise;
pub mod observe;
pub mod own;
pub mod pattern;
pub mod place;
pub mod policy;
pub mod python;
pub mod run;
pub mod variants;
pub mod worker;
