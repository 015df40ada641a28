//! The renderers of onnx-conformance: each makes one file from a [`Report`](run_record::Report), or from a
//! [`View`]: a report and what a page shows beside it (gates, an earlier run, a history, sums).
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
//! The profile of a model, the difference of two reports and the trends of many runs have renderers of
//! their own.
//!
//! # Invariants
//!
//! - **A renderer knows only the record** (the crate `run-record`), and is a pure function from it to text.
//! - **Same results, same files.**
//! - **All text is hostile.** [`shown`](run_record::shown) replaces characters that must not be shown, and
//!   each renderer escapes the rest for its format.
//!
//! The names in `summary.json` and `results.csv` are stable: other programs read them.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod render;
mod view;
mod write;

pub use view::View;
pub use write::{ReportError, write_all};
