//! The record of a run of onnx-conformance, without any renderer.
//!
//! A run writes [`Event`]s, one by one, to a log ([`RunLog`]). The log is the only file that is written
//! during a run, so that an interrupted run can be resumed from it. [`Report::fold`] makes a report from
//! the events; the crate `reports` renders it. A log also contains what each case exercises, and what the
//! specification allows; [`coverage`] combines them, with or without the verdicts of a run. Two reports
//! give a [`diff::Diff`].
//!
//! # Invariants
//!
//! - **This crate knows only its own records.** It runs no model, compares no tensor and judges
//!   nothing: verdicts, reasons and error statistics are data. The harness depends on it, never the
//!   other way round.
//! - **Files are written in three places**, [`RunLog`], [`replace`] (a file that a person names) and
//!   [`Folder`] (a file in a folder of results), and all replace an old file by a complete new one.
//! - **A missing result is never a good one.** Cases without a record count as not run, and a
//!   crash, a hang or an error never counts as unsupported.
//! - **The order of records in a report depends on their content**, not on the order in which workers
//!   answered.
//! - **All text is hostile.** Case names, reasons and texts of backends come from files and from
//!   foreign programs. [`shown`] replaces characters that must not be shown.
//!
//! A change of a log that an older reader would misinterpret increments [`FORMAT`].
//!
//! Out of scope: baselines and the gate (they read a [`Report`]), progress bars, and the decision
//! of verdicts.

#![warn(missing_docs)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod common;
pub mod coverage;
pub mod diff;
mod file;
mod folder;
pub mod graph;
mod look;
pub mod past;
pub mod profile;
mod read;
mod record;
mod report;
pub mod scaling;
pub mod shown;
pub mod standing;
pub mod sums;
pub mod support;
mod system;
pub mod text;
pub mod trends;

pub use file::{WriteError, is_stream, replace, replace_from};
pub use folder::{Folder, replace_in, replace_or_remove};
pub use look::Look;
pub use read::{MAX_TOML, read_file, read_text};
pub use record::*;
pub use report::{
    BackendReport, Change, GateReport, KnownFailure, Levels, Quarantined, ReleaseReport, Report, Tally,
    VariantReport, VariantTally, Waiver, WaiverState, rank,
};
pub use system::{make_executable, make_replaceable};
