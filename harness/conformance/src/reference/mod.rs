//! Requests to a worker of the reference: bounds of rounding errors, and runs with random rounding.

mod bounds;
mod runs;

pub use bounds::{bounds, envelopes};
pub use runs::runs;
