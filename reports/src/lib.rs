//! The run report of onnx-conformance and its renderers.
//!
//! A run writes [`record::Event`]s, one by one, to a log ([`record::RunLog`]). The log is the only
//! file that is written during a run, so that an interrupted run can be resumed from it.
//! [`Report::fold`] makes a report from the events, and each renderer makes one file from the
//! report:
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
//! The [`profile`] of a model has renderers of its own. Two reports give a [`diff::Diff`], which
//! has its own renderers; the [`trends`] of many runs have theirs.
//!
//! A log also contains what each case exercises, and what the specification allows; [`coverage`]
//! combines them, with or without the verdicts of a run.
//!
//! # Invariants
//!
//! - **This crate knows only its own records.** It runs no model, compares no tensor and judges
//!   nothing: verdicts, reasons and error statistics are data. The harness depends on it, never the
//!   other way round.
//! - **A renderer is a pure function** from a report to text. Files are written in three places,
//!   [`record::RunLog`], [`replace`] (a file that a person names) and [`Folder`] (a file in a folder of
//!   results), and all replace an old file by a complete new one.
//! - **A missing result is never a good one.** Cases without a record count as not run, and a
//!   crash, a hang or an error never counts as unsupported.
//! - **Same results, same files.** The order of records in a report depends on their content, not
//!   on the order in which workers answered.
//! - **All text is hostile.** Case names, reasons and texts of backends come from files and from
//!   foreign programs. [`shown`] replaces characters that must not be shown, and each renderer
//!   escapes the rest for its format.
//!
//! The names in `summary.json` and `results.csv` are stable: other programs read them. A change
//! that such a program would misinterpret increments [`record::FORMAT`].
//!
//! Out of scope: baselines and the gate (they read a [`Report`]), progress bars, and the decision
//! of verdicts.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod coverage;
pub mod diff;
mod file;
mod folder;
pub mod graph;
pub mod past;
pub mod profile;
mod read;
pub mod record;
pub mod render;
mod report;
mod scaling;
pub mod shown;
pub mod standing;
pub mod sums;
mod text;
pub mod trends;
mod write;

pub use file::{WriteError, replace};
pub use folder::{Folder, replace_in};
pub use read::{MAX_TOML, read_file, read_text};
pub use report::{
    BackendReport, Change, GateReport, KnownFailure, Levels, Quarantined, ReleaseReport, Report, Tally,
    VariantReport, VariantTally, Waiver, WaiverState,
};
pub use write::{ReportError, write_all, write_picture, write_picture_in};
