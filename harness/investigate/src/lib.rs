//! Investigations of one model: which backends answer right, and where a backend is wrong.
//!
//! # Purpose
//! - [`subject`]: a model with its external data and stored data sets, from a file or a folder.
//! - [`inputs`]: input values of a model: read from files, or generated from a seed with a range that
//!   fits the role of each input.
//! - [`truth`]: expected outputs: those of the reference, or, if it does not answer, those on which most
//!   backends agree.
//! - [`locate`](mod@locate): finds the first node whose output is wrong on a backend.
//! - [`nodes`]: judges every node of a case in a run, where its outputs say little of them.
//! - [`bisect`](mod@bisect): finds the value of an option at which the answer becomes wrong.
//! - [`reduce`](mod@reduce): finds the smallest model that fails in the same way.
//! - [`survey`](mod@survey): every node of a model alone on backends.
//! - [`support`]: whether a backend can run a model: what it declares, and whether it loads the model.
//! - [`parting`](mod@parting): the first tensor in which two models differ. [`unsigned`]: the same model with
//!   weights of uint8.
//! - [`upgrade`]: whether a converted model has the outputs of the original.
//! - [`keep`]: stores a reduced model as a regression case, with a report of the fault in Markdown.
//! - [`given`]: a model as the user gave it, on which `locate` and `reduce` repeat the failure first.
//! - [`form`]: what the models of parts declare about their values. [`property`]: the properties of a file
//!   on which a failure depends.
//! - [`witness`]: what explains a wrong answer on an execution provider.
//! - [`signature`]: when two failures are the same.
//! - [`cut`]: extracts parts of a model as models. [`text`](mod@text): a model in the text form of ONNX.
//!
//! # Scope
//! This crate runs no model in this process: every evaluation is a request to a worker ([`runner`]). It
//! decides no verdict: `harness_conformance::judge` does.
//!
//! # Invariants
//! - The same model, inputs, seed and backends give the same result.
//! - Stored outputs of unknown origin are not used as expected outputs.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod beside;
pub mod bisect;
pub mod cut;
pub mod form;
pub mod given;
pub mod inputs;
pub mod keep;
pub mod locate;
pub mod nodes;
pub mod parting;
pub mod power;
pub mod property;
pub mod reduce;
pub mod replay;
pub mod signature;
pub mod subject;
pub mod support;
pub mod survey;
pub mod text;
pub mod truth;
pub mod unsigned;
pub mod upgrade;
pub mod witness;

mod case_files;
mod declared;
mod deviation;
mod error;
mod graphs;
mod inline;
mod package;
mod trial;

pub use case_files::CaseToWrite;
pub use deviation::{deviation, difference};
pub use error::{InputProblem, InvestigateError};
pub use harness_conformance::reference::runner;
pub use package::Package;
