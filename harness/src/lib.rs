//! The harness: from a corpus of cases to verdicts.

pub mod compare;
pub mod corpus;
pub mod worker;
