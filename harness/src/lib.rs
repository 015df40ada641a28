//! The harness: from a corpus of cases to verdicts.

pub mod backend;
pub mod case;
pub mod cli;
pub mod compare;
pub mod corpus;
pub mod gate;
pub mod judge;
pub mod observe;
pub mod run;
pub mod worker;
