//! The run report of onnx-conformance and its renderers.
//!
//! A run tells what happens as [`record::Event`]s, appended one by one to a log ([`record::RunLog`]). The log is the only thing
//! that a run writes while it goes on, so a run that is killed is taken up again from it. Whenever a report is wanted,
//! [`Report::fold`] makes one from the events, and each renderer makes one file from the report:
//!
//! ```text
//! events ── RunLog ──► run.jsonl ──► Report::fold ──► Report ──► render::summary_json   summary.json   for programs
//!                                                          ├──► render::results_csv    results.csv    a row per case and backend
//!                                                          ├──► render::latency_csv    latency.csv    a row per series
//!                                                          ├──► render::models_csv     models.csv     a row per output of a whole model
//!                                                          ├──► render::junit          junit.xml      for CI systems
//!                                                          ├──► render::markdown       summary.md     for a CI job's summary
//!                                                          ├──► render::html           report.html    for people
//!                                                          ├──► render::terminal       (text)         the end of a run
//!                                                          └──► coverage::Matrix ──► render::matrix_csv, matrix_json, operators_html
//! ```
//!
//! Two reports make a [`diff::Diff`], which has renderers of its own; so have the [`trends`] of many runs.
//!
//! A log also tells what each case exercises, and what the specification allows; [`coverage`] brings the two together, with
//! the verdicts of a run or without.
//!
//! What holds throughout:
//!
//! - **This crate knows only its own records.** It runs no model, compares no tensor and judges nothing: a verdict, a
//!   reason and an error statistic come in as data. The harness depends on it, never the other way round.
//! - **A renderer is a pure function** from a report to text. Files are touched in two places, [`record::RunLog`] and
//!   [`replace`], and both put a whole new file in the place of an old one.
//! - **A missing result is not a good one.** Cases without a record count as not run, and a crash, a hang or an error is
//!   never shown among the unsupported.
//! - **Same results, same files.** The order of records in a report comes from their content, not from the order in
//!   which workers happened to answer.
//! - **All text is hostile.** Case names, reasons and backends' own words come from files and from foreign programs. [`shown`]
//!   says what is shown for a character that must not be shown, and each renderer escapes the rest for its format.
//!
//! The names in `summary.json` and `results.csv` are fixed: programs of others read them. A change that such a program
//! would misunderstand raises [`record::FORMAT`].
//!
//! Not here: baselines and the gate (they read a [`Report`]), progress bars, and what a verdict *should* be.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod coverage;
pub mod diff;
mod file;
pub mod past;
pub mod record;
pub mod render;
mod report;
pub mod shown;
mod text;
pub mod trends;
mod write;

pub use file::{WriteError, replace};
pub use report::{
    BackendReport, Change, GateReport, KnownFailure, Levels, Quarantined, ReleaseReport, Report, Tally,
    VariantReport, VariantTally, Waiver, WaiverState,
};
pub use write::{ReportError, write_all};
