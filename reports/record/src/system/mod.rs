//! Files as the systems differ in them: folders that are opened, links, permissions. One module for each kind
//! of system has the same functions.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub(crate) use platform::{Dir, links, open_at_once, ordinary};
pub use platform::{make_executable, make_replaceable};

/// The error for a file or folder that is not what it has to be.
pub(crate) fn refused(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, problem)
}
