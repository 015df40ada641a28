//! The framework for operator files.
//!
//! An operator file declares `pub const OP: OpDef` ([`op`], [`v`]) and evaluates a [`Call`] to [`Outputs`]
//! or an [`OpError`]. The interpreter provides a [`Host`] for bodies, budgets and seeds.

mod attributes;
mod call;
mod definition;
mod deviation;
mod error;
mod host;
mod reading;
mod registry;
#[cfg(test)]
pub(crate) mod testing;

pub use call::{Call, Outputs, one};
pub use definition::{Change, Eval, OpDef, Version, contrib, op, op_in, v};
pub use deviation::Deviation;
pub use error::OpError;
pub use host::{Enclosing, Host, Unspecified};
pub use reading::{QUESTIONS, Question, Reading, ReadingError, Readings};
pub use registry::{operator, version};
