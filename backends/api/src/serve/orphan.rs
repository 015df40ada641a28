//! A worker whose harness is gone ends, even in the middle of a run.
//!
//! On the same Linux machine the kernel ends a worker with its harness. Elsewhere (another system, the far end of `ssh`) only
//! the channel tells: its other end is closed.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

/// How long the worker may still take to answer what it has read: whoever pipes recorded requests into a worker closes the
/// channel at once.
const GRACE: Duration = Duration::from_secs(10);

/// The exit code of a worker that was left alone.
const LEFT_ALONE: i32 = 4;

/// Ends the process ten seconds after the other side of `input` was closed. [`serve`](crate::serve) does this; a worker with a loop
/// of its own calls it once.
///
/// # Errors
/// When the descriptor cannot be duplicated, or no thread can be started.
pub fn end_with_channel(input: &impl AsFd) -> io::Result<()> {
    let input = input.as_fd().try_clone_to_owned()?;
    let watch = move || {
        if is_closed(&input) {
            thread::sleep(GRACE);
            std::process::exit(LEFT_ALONE);
        }
    };
    thread::Builder::new()
        .name("watch the channel".to_owned())
        .spawn(watch)
        .map(drop)
}

/// Waits until the other side is closed; `false` where the system cannot tell.
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
    fn the_end_of_the_channel_is_seen_behind_unread_bytes() {
        let (input, output) = pipe().expect("a pipe");
        rustix::io::write(&output, b"unread").expect("bytes");
        let watcher = thread::spawn(move || is_closed(&input));
        assert!(!watcher.is_finished());
        drop(output);
        assert!(watcher.join().expect("no panic"));
    }
}
