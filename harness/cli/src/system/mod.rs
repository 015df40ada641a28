//! Who may write a file, and signals, as the systems differ in them. One module for each kind of system has
//! the same functions.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{objection, survive_large_files};
#[cfg(windows)]
pub(crate) use windows::{objection, survive_large_files};
