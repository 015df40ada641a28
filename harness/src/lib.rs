//! The harness: from a corpus of cases to verdicts.

pub mod corpus;
