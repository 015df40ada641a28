//! What a worker of the reference is asked about a case: how far rounding can lead, and runs with random rounding.

mod bounds;
mod runs;

pub use bounds::{bounds, envelopes};
pub use runs::runs;
