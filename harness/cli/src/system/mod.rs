//! Who may write a file, and signals, as the systems differ in them. One module for each kind of system has
//! the same functions.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fmt;
use std::path::PathBuf;

#[cfg(unix)]
pub(crate) use unix::{objection, survive_large_files};
#[cfg(windows)]
pub(crate) use windows::{objection, survive_large_files};

/// Why a file may not be used as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Objection {
    /// Another user owns it.
    Owner {
        /// The file or a folder above it.
        path: PathBuf,
        /// The owner's number.
        owner: u32,
    },
    /// Others may write it, or replace what is in it.
    Writable {
        /// The file or a folder above it.
        path: PathBuf,
    },
    /// The system has other rights than owner, group and others: they are not examined.
    Unknown,
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objection::Owner { path, owner } => {
                write!(f, "`{}` belongs to user {owner}", path.display())
            }
            Objection::Writable { path } => write!(f, "others may write `{}`", path.display()),
            Objection::Unknown => f.write_str("who may write it is not examined on this system"),
        }
    }
}
