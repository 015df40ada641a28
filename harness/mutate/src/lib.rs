//! The comparator, tested by mutation: right outputs, into which faults are planted, must be found out.
//!
//! A comparison that lets everything pass scores as well as a good one until somebody checks. Here faults of kinds that real
//! backends have ([`FAULTS`]) are planted into outputs that are known to be right, those of the corpus and those that
//! real backends have just given, and the very comparison of a run judges them under each policy. What share of the faults it finds, the *kill
//! rate*, is the measure of a policy.
//!
//! A planted fault counts only if the outputs are wrong then: [`wrong`], which shares no code with the comparison, must see an
//! element that is not the expected one and lies beyond the reference's bound. A shift of equal elements, or a change
//! that rounding can make, is no fault.
//!
//! - [`fault`]: what a fault is. `faults`: the kinds, in a table.
//! - [`plant`]: plants the faults into a case's outputs. [`KillTable`]: what was found, counted.
//! - [`run`]: all cases, on the corpus' outputs and on those of backends.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod fault;
mod faults;
mod kill_table;
mod plant;
mod run;
mod wrong;

pub use fault::Fault;
pub use faults::FAULTS;
pub use kill_table::{Count, KillTable, Survivor};
pub use plant::{Subject, judge, plant};
pub use run::{CORPUS, MutatePlan, Mutated, run};
pub use wrong::wrong;

#[cfg(test)]
mod tests;
