//! What several chapters of operators share.

pub mod axes;
pub mod broadcast;
