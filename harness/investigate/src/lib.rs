//! Investigations of one model: which backend answers right, and if one is wrong, where.
//!
//! # What it is
//! - [`subject`]: a model with its external data and stored data sets, from a file or a folder.
//! - [`inputs`]: input values of a model: given as files, or drawn by seed with a range that fits the role of each input.
//! - [`truth`]: expected outputs: of the reference, or where it does not answer, those on which most backends agree.
//! - [`locate`](mod@locate): the first node whose output is wrong on a backend.
//! - [`bisect`](mod@bisect): the value of an option with which the answer becomes wrong.
//! - [`reduce`](mod@reduce): the smallest model that fails in the same way.
//! - [`support`]: whether a backend can run a model: what it declares, and whether it loads it.
//! - [`upgrade`]: whether a converted model gives what the original gives.
//! - [`keep`]: a reduced model as a regression case, with a report of the fault as Markdown.
//! - [`cut`]: parts of a model as models. [`text`](mod@text): a model in the text form of ONNX.
//!
//! # What it is not
//! It runs no model in this process: every evaluation is a request to a worker ([`runner`]). It decides no verdict: that is
//! `harness_conformance::judge`.
//!
//! # Invariants
//! - The same model, inputs, seed and backends give the same result.
//! - No stored output of unknown origin is taken as truth.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod bisect;
pub mod cut;
pub mod inputs;
pub mod keep;
pub mod locate;
pub mod reduce;
pub mod replay;
pub mod runner;
pub mod standing;
pub mod subject;
pub mod support;
pub mod text;
pub mod truth;
pub mod upgrade;

mod case_files;
mod deviation;
mod error;
mod given;
mod graphs;
mod inline;
mod package;
mod trial;

pub use case_files::CaseToWrite;
pub use deviation::deviation;
pub use error::{InputProblem, InvestigateError};
pub use package::Package;
