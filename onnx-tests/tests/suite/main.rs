//! What the tests of this crate check on the library and on workers; `conformance` and `variants`,
//! which list each case as a test, are programs of their own.

mod checker;
mod crashes;
mod errata;
mod exhaustive;
mod gaps;
mod generated;
mod inference;
mod noise;
mod own;
mod providers;
mod quotations;
mod readings;
mod rejections;
mod variants_valid;
mod verify;
mod versions;
