//! Mutation testing of the comparison: faults that are planted into correct outputs must be detected.
//!
//! A comparison that accepts everything appears as good as a correct one until it is tested. Faults of
//! kinds that real backends have ([`FAULTS`]) are planted into correct outputs, those of the corpus and
//! those of real backends, and the comparison of a run judges them under each policy. The fraction of
//! detected faults, the *kill rate*, measures a policy.
//!
//! A planted fault counts only if the outputs are then wrong: [`wrong`], which shares no code with the
//! comparison, must find an element that is not the expected one and is beyond the reference's bound. A
//! shift of equal elements, or a change within rounding, is not a fault.
//!
//! - [`fault`]: the definition of a fault. `faults`: the table of faults.
//! - [`plant`]: plants faults into a case's outputs. [`KillTable`]: the counts.
//! - [`run`]: all cases, with outputs of the corpus and of backends.

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
