//! Requests to a worker of the reference: bounds of rounding errors, and runs with random rounding.
//! [`runner`]: the worker, which is replaced if it ends.

mod bounds;
mod runs;

pub mod runner;

pub use bounds::{bounds, envelopes};
pub(crate) use runs::{Lost, join, spreads};
