//! The output format of commands that have no other than these.

use clap::ValueEnum;

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs: one object, with a version.
    Json,
}
