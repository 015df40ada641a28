//! Ends a worker whose harness is gone, even during a run.
//!
//! On the same machine the kernel of Linux, and the job object of Windows, end a worker with its harness. On
//! another system, or at the remote end of `ssh`, only the channel shows it: its other end is closed.

use std::fs::File;
use std::io;
use std::thread;
use std::time::Duration;

use crate::system::is_closed;

/// The time for answers to requests that were already read: a program that pipes recorded requests into a
/// worker closes the channel at once.
const GRACE: Duration = Duration::from_secs(10);

/// The exit code of a worker whose harness is gone.
const HARNESS_GONE: i32 = 4;

/// Ends the process ten seconds after the other side of `input` is closed. [`serve`](crate::serve) calls
/// this; a worker with another main loop calls it once.
///
/// # Errors
/// If the descriptor cannot be duplicated, or no thread can be started.
pub fn end_with_channel(input: &File) -> io::Result<()> {
    let input = input.try_clone()?;
    let watch = move || {
        if is_closed(&input) {
            thread::sleep(GRACE);
            std::process::exit(HARNESS_GONE);
        }
    };
    thread::Builder::new()
        .name("watch the channel".to_owned())
        .spawn(watch)
        .map(drop)
}
