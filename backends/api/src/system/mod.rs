//! The channel of a worker as the systems differ in it. One module for each kind of system has the same
//! functions.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{inherited, is_closed, take_stdio};
#[cfg(windows)]
pub(crate) use windows::{inherited, is_closed, take_stdio};
