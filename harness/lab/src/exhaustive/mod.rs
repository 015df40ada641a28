//! Compares every input of a format with correct rounding.
//!
//! # Purpose
//! A [`Subject`] is a unary function in a format, or a cast from one format to another. A backend gets
//! every input of the format, in chunks, and each output is compared with the exact value, rounded once
//! (`onnx-exact`; [`codes`] for narrow formats). The result is a [`Checked`]: the number of values that
//! are not correctly rounded, with examples.
//!
//! # Scope
//! There is no tolerance and no policy: an answer within the bound of `conformance` may count as
//! misrounded here.

mod checked;
mod codes;
mod journal;
mod model;
mod run;
mod subject;
mod values;

pub use checked::{Checked, Example};
pub use journal::{Journal, JournalError};
pub use run::run;
pub use subject::{Job, NARROW, Subject, casts, functions};
