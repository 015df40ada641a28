//! Ends a worker whose harness is gone, even during a run.
//!
//! On the same Linux machine the kernel ends a worker with its harness. On another system, or at the remote
//! end of `ssh`, only the channel shows it: its other end is closed.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

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
pub fn end_with_channel(input: &impl AsFd) -> io::Result<()> {
    let input = input.as_fd().try_clone_to_owned()?;
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

/// Waits until the other side is closed; returns `false` if the system cannot detect it.
fn is_closed(input: &OwnedFd) -> bool {
    loop {
        let mut descriptors = [PollFd::new(input, PollFlags::empty())];
        match poll(&mut descriptors, None) {
            Ok(_) if descriptors[0].revents().contains(PollFlags::HUP) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::pipe::pipe;

    use super::*;

    #[test]
    fn the_end_of_the_channel_is_detected_with_unread_bytes() {
        let (input, output) = pipe().expect("a pipe");
        rustix::io::write(&output, b"unread").expect("bytes");
        let watcher = thread::spawn(move || is_closed(&input));
        assert!(!watcher.is_finished());
        drop(output);
        assert!(watcher.join().expect("no panic"));
    }
}
